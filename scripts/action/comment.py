"""Write the table of verdicts as one comment on a pull request, which later runs update: started by `action.yml`.

Without permission to comment, as on pull requests from forks, it prints a warning and succeeds: the table is in the summary
of the run as well.
"""

import json
import os
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path

#: The user of a workflow token, which may not query its own user.
WORKFLOW = "github-actions[bot]"
#: Maximum length of a comment, in characters.
LONGEST = 65536
#: HTTP status codes of a missing permission.
REFUSED = (401, 403, 404)


class Forge:
    """The part of the HTTP interface that comments need."""

    def __init__(self, api, token):
        self.api, self.token = api.rstrip("/"), token

    def ask(self, method, path, body=None):
        """The answer, and the path of the next page, if there is one."""
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
        # Never send the token to another host.
        following = following[1].removeprefix(self.api) if following and following[1].startswith(self.api + "/") else None
        return json.loads(text) if text else None, following

    def name(self):
        """The user of the token."""
        try:
            return self.ask("GET", "/user")[0]["login"]
        except urllib.error.HTTPError as error:
            if error.code in REFUSED:
                return WORKFLOW
            raise

    def before(self, repository, number, mark):
        """The id of the comment of an earlier run. Comments of other users with the same mark are ignored."""
        own = self.name()
        path = f"/repos/{repository}/issues/{number}/comments?per_page=100"
        while path:
            comments, path = self.ask("GET", path)
            for comment in comments:
                if (comment.get("body") or "").startswith(mark) and (comment.get("user") or {}).get("login") == own:
                    return comment["id"]
        return None


def mark(subject):
    """The hidden mark that identifies the comment; each audited accountant has its own."""
    return f"<!-- verdicts of dpcert: {re.sub('[^A-Za-z0-9:._]+', ' ', subject)} -->"


def comment(forge, repository, number, subject, table):
    """Create or update the comment."""
    own = mark(subject)
    body = f"{own}\n{table}"
    if len(body) > LONGEST:
        rest = "\n\nThe full table is in the summary of the run.\n"
        body = body[: LONGEST - len(rest)].rsplit("\n", 1)[0] + rest
    old = forge.before(repository, number, own)
    if old is None:
        forge.ask("POST", f"/repos/{repository}/issues/{number}/comments", {"body": body})
    else:
        forge.ask("PATCH", f"/repos/{repository}/issues/comments/{int(old)}", {"body": body})


def main():
    table = Path(os.environ["TABLE"])
    # An audit without a table has already failed.
    if not table.is_file() or not (text := table.read_text(encoding="utf-8")):
        return
    repository, number = os.environ["REPOSITORY"], int(os.environ["NUMBER"])
    forge = Forge(os.environ.get("GITHUB_API_URL") or "https://api.github.com", os.environ["TOKEN"])
    try:
        comment(forge, repository, number, os.environ["SUBJECT"], text)
    except urllib.error.HTTPError as error:
        if error.code not in REFUSED:
            sys.exit(f"cannot write the comment: {error}")
        print(f"::warning::the token has no permission to comment on pull request {number}: {error}")
    except OSError as error:
        sys.exit(f"cannot write the comment: {error}")


if __name__ == "__main__":
    main()
