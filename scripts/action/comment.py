"""The table of verdicts as one comment on a pull request, which later runs write anew: started by `action.yml`.

Without the right to comment, as on pull requests from forks, this is told, and nothing fails: the table is in the summary of
the run, too.
"""

import json
import os
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path

#: Who writes with the token of a workflow, which may not ask who it is.
WORKFLOW = "github-actions[bot]"
#: The longest comment that the forge takes.
LONGEST = 65536
#: What is answered to those who may not, or are told that there is nothing.
REFUSED = (401, 403, 404)


class Forge:
    """Its interface over HTTP, as far as comments need it."""

    def __init__(self, api, token):
        self.api, self.token = api.rstrip("/"), token

    def ask(self, method, path, body=None):
        """What is answered, and the path of the next page, if there is one."""
        request = urllib.request.Request(
            self.api + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            following = re.search(r'<([^>]*)>;\s*rel="next"', reply.headers.get("Link") or "")
            text = reply.read().decode()
        # The token goes nowhere else.
        following = following[1].removeprefix(self.api) if following and following[1].startswith(self.api + "/") else None
        return json.loads(text) if text else None, following

    def name(self):
        """Who writes."""
        try:
            return self.ask("GET", "/user")[0]["login"]
        except urllib.error.HTTPError as error:
            if error.code in REFUSED:
                return WORKFLOW
            raise

    def before(self, repository, number, mark):
        """The comment of an earlier run. Whoever else has written the mark keeps what they wrote."""
        own = self.name()
        path = f"/repos/{repository}/issues/{number}/comments?per_page=100"
        while path:
            comments, path = self.ask("GET", path)
            for comment in comments:
                if (comment.get("body") or "").startswith(mark) and (comment.get("user") or {}).get("login") == own:
                    return comment["id"]
        return None


def mark(subject):
    """How the comment is known again; each accountant that is audited has its own."""
    return f"<!-- verdicts of dpcert: {re.sub('[^A-Za-z0-9:._]+', ' ', subject)} -->"


def comment(forge, repository, number, subject, table):
    """Write it, anew or for the first time."""
    own = mark(subject)
    body = f"{own}\n{table}"
    if len(body) > LONGEST:
        rest = "\n\nThe rest is in the summary of the run.\n"
        body = body[: LONGEST - len(rest)].rsplit("\n", 1)[0] + rest
    old = forge.before(repository, number, own)
    if old is None:
        forge.ask("POST", f"/repos/{repository}/issues/{number}/comments", {"body": body})
    else:
        forge.ask("PATCH", f"/repos/{repository}/issues/comments/{int(old)}", {"body": body})


def main():
    table = Path(os.environ["TABLE"])
    # An audit that did not come to a table has failed by itself.
    if not table.is_file() or not (text := table.read_text(encoding="utf-8")):
        return
    repository, number = os.environ["REPOSITORY"], int(os.environ["NUMBER"])
    forge = Forge(os.environ.get("GITHUB_API_URL") or "https://api.github.com", os.environ["TOKEN"])
    try:
        comment(forge, repository, number, os.environ["SUBJECT"], text)
    except urllib.error.HTTPError as error:
        if error.code not in REFUSED:
            sys.exit(f"the comment was not written: {error}")
        print(f"::warning::the token may not comment on pull request {number}: {error}")
    except OSError as error:
        sys.exit(f"the comment was not written: {error}")


if __name__ == "__main__":
    main()
