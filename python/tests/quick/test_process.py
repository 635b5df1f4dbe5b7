"""Threads, forks and signals."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import dpcert

# More work than the tests wait for, by engines that look at the clock.
LONG = 'dpcert.delta("poisson(rate=1/100, gaussian(sigma=1))^1000", epsilon=1, digits=20000{})'


def run(program, **options):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, **options)


class Threads(unittest.TestCase):
    def test_threads_share_a_session(self):
        with dpcert.session("laplace(scale=2)^4") as s:
            alone = [s.epsilon(delta=f"1e-{i}").json() for i in range(1, 9)]
        with dpcert.session("laplace(scale=2)^4") as s:
            found = {}
            threads = [
                threading.Thread(target=lambda i=i: found.setdefault(i, s.epsilon(delta=f"1e-{i}").json())) for i in range(1, 9)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual([found[i] for i in range(1, 9)], alone)

    def test_the_lock_is_free_while_an_answer_is_computed(self):
        ticks, done = [], threading.Event()

        def count():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.01)

        thread = threading.Thread(target=count)
        thread.start()
        answer = eval(LONG.format(", timeout=1"))
        done.set()
        thread.join()
        self.assertNotEqual(answer.reason, None)
        gaps = [b - a for a, b in zip(ticks, ticks[1:])]
        self.assertGreater(len(ticks), 20)
        self.assertLess(max(gaps), 0.9)


@unittest.skipUnless(hasattr(os, "fork"), "no forks here")
class Forks(unittest.TestCase):
    def test_a_child_answers_after_its_parent_did(self):
        # The first question has work that is shared among threads, those of the parent.
        found = run(
            """
            import os, dpcert
            ask = lambda: dpcert.delta("geometric(epsilon=1/100)^3000 * staircase(epsilon=1/100, gamma=1/2)^2000", epsilon=1, method="lattice").json()
            first = ask()

            for depth in range(2):
                child = os.fork()
                if child:
                    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                    assert code == 0, code
                    assert ask() == first
                    break
                assert ask() == first
                assert float(dpcert.divergence("gdp(mu=1)", "kl")) == 0.5
            else:
                os._exit(0)
            """
        )
        self.assertEqual((found.returncode, found.stderr), (0, ""))

    def test_pools_of_processes_work(self):
        found = run(
            """
            import multiprocessing, dpcert
            def ask(k): return dpcert.delta(f"gaussian(sigma=3)^{k}", epsilon=1).json()
            here = [ask(k) for k in range(1, 20)]
            with multiprocessing.get_context("fork").Pool(2) as pool:
                assert pool.map(ask, range(1, 20)) == here
            """
        )
        self.assertEqual((found.returncode, found.stderr), (0, ""))

    def test_a_child_of_a_busy_parent_says_why_not(self):
        found = run(
            f"""
            import os, threading, time, dpcert
            threading.Thread(target=lambda: {LONG.format(", timeout=3")}, daemon=True).start()
            time.sleep(0.5)
            child = os.fork()
            if child:
                os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            try:
                dpcert.delta("gdp(mu=1)", epsilon=1)
            except dpcert.InputError as error:
                os._exit(7 if "forked while an answer was being computed" in str(error) else 8)
            os._exit(9)
            """
        )
        self.assertEqual(found.returncode, 7, found.stderr)


class Signals(unittest.TestCase):
    def interrupted(self, question, wait=1.0):
        # What a shell starts in the background ignores Ctrl-C, and so would what is started here.
        program = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        program += f"import dpcert\nprint('begun', flush=True)\ntry:\n    {question}\nexcept KeyboardInterrupt:\n"
        program += "    a = dpcert.delta('gdp(mu=1)', epsilon=1)\n    print('ended', a.kind, flush=True)\n"
        child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.assertEqual(child.stdout.readline(), "begun\n")
            time.sleep(wait)
            asked = time.monotonic()
            child.send_signal(signal.SIGINT)
            # The interrupted computation has ended, and the next query is answered.
            self.assertEqual(child.stdout.readline(), "ended enclosure\n")
            self.assertLess(time.monotonic() - asked, 5)
            child.communicate(timeout=60)
            self.assertEqual(child.returncode, 0)
        finally:
            child.kill()
            child.communicate()

    def test_ctrl_c_ends_an_answer(self):
        self.interrupted(LONG.format(""))

    def test_ctrl_c_ends_one_without_a_limit_of_time(self):
        self.interrupted(LONG.format(", timeout=None"))

    def test_ctrl_c_ends_a_calibration(self):
        self.interrupted('dpcert.calibrate("poisson(rate=1/100, gaussian(sigma=?))^1000", epsilon=1, delta="1e-5", digits=5000)')

    def test_ctrl_c_ends_an_array(self):
        self.interrupted('dpcert.session("laplace(scale=3)^5").delta(epsilon=[i / 1000 for i in range(900000)], digits=50)')


if __name__ == "__main__":
    unittest.main()
