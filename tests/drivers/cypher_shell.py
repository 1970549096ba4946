"""`cypher-shell -u USER -p PASSWORD STATEMENT`, as far as a health check needs Neo4j's own.

It asks the server at `NEO4J_ADDRESS`, once user and password are those of `NEO4J_AUTH`.
"""

from __future__ import annotations

import argparse
import os
import sys

from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError


def main() -> int:
    parser = argparse.ArgumentParser(prog="cypher-shell")
    parser.add_argument("-u", dest="user", required=True)
    parser.add_argument("-p", dest="password", required=True)
    parser.add_argument("statement")
    given = parser.parse_args()
    if f"{given.user}/{given.password}" != os.environ["NEO4J_AUTH"]:
        print("unauthorized", file=sys.stderr)
        return 1
    try:
        auth = given.user, given.password
        with (
            GraphDatabase.driver(os.environ["NEO4J_ADDRESS"], auth=auth) as driver,
            driver.session() as session,
        ):
            print(*session.run(given.statement), sep="\n")
    except (DriverError, Neo4jError) as error:
        print(type(error).__name__, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
