"""A notebook that is interrupted in the middle, and what cells show: in a kernel, as a user has it."""

import queue
import sys
import time

from jupyter_client.manager import KernelManager

#: More work than the tests wait for.
LONG = 'dpcert.delta("poisson(rate=1/100, gaussian(sigma=1))^1000", epsilon=1, digits=20000)'


def run(client, code, interrupt=None):
    """What a cell says: its errors, and what it shows by the type of that."""
    asked = client.execute(code)
    errors, shown, busy = [], {}, True
    deadline = time.monotonic() + 300
    while busy:
        try:
            message = client.get_iopub_msg(timeout=1)
        except queue.Empty:
            assert time.monotonic() < deadline, f"{code}: no end"
            continue
        if message["parent_header"].get("msg_id") != asked:
            continue
        kind, content = message["msg_type"], message["content"]
        if kind == "status":
            if content["execution_state"] == "busy" and interrupt is not None:
                time.sleep(2)
                interrupt()
            busy = content["execution_state"] != "idle"
        elif kind == "error":
            errors.append(content["ename"])
        elif kind in ("execute_result", "display_data"):
            shown.update(content["data"])
    return errors, shown


def main():
    manager = KernelManager()
    # The Python of this environment, whatever kernels the machine has.
    manager.kernel_spec.argv[0] = sys.executable
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=120)
        assert run(client, "import dpcert") == ([], {})
        session = 's = dpcert.session("laplace(scale=3)^5")'
        array = "s.delta(epsilon=[i / 1000 for i in range(900000)], digits=50)"
        for cell in (LONG, LONG[:-1] + ", timeout=None)", f"{session}; {array}"):
            began = time.monotonic()
            errors, _ = run(client, cell, manager.interrupt_kernel)
            assert errors == ["KeyboardInterrupt"], errors
            assert time.monotonic() - began < 60
        # The kernel is the same, and so is the session.
        errors, shown = run(client, 's.delta(epsilon="1/2", digits=6)')
        assert errors == [] and shown["text/plain"].startswith("<dpcert.Answer in ["), shown
        assert "delta at epsilon = 1/2" in shown["text/html"]
        errors, shown = run(client, 'dpcert.mechanism("poisson(rate=1/2, gaussian(sigma=1))")')
        assert errors == [] and "<table>" in shown["text/html"] and "N(" in shown["text/html"], shown
        errors, shown = run(client, 'dpcert.mechanism("gdp(mu=1)").curve("tradeoff", points=5)')
        assert errors == [] and ("image/png" in shown or "alpha,beta_lower" in shown["text/html"]), shown
        errors, shown = run(client, 's.epsilon(delta=["1e-5", "1e-6"])')
        assert errors == [] and shown["text/html"].count("<tr>") == 2, shown
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    print("a kernel that is interrupted goes on")


if __name__ == "__main__":
    main()
