import { describe, expect, it } from "vitest";
import { redactorFor } from "../../src/scrub/redactor.ts";
import { MARK } from "./planted-secrets.ts";
import { readBothWays } from "./read-both-ways.ts";

const redactor = redactorFor(true, undefined);

describe("a text loses", () => {
  it.each([
    [
      "a request's cookies",
      "GET / HTTP/1.1\r\nCookie: theme=dark; sid=ab\r\nAccept: */*",
      `GET / HTTP/1.1\r\nCookie: ${MARK}\r\nAccept: */*`,
    ],
    ["those that curl tells of", "> cookie: a=1; csrftoken=2; c\n> x: y", `> cookie: ${MARK}\n> x: y`],
    ["one in quotes", 'Cookie: a="b c"; d=e', `Cookie: ${MARK}`],
    ["in a command", "curl -H 'Cookie: sid=abcd' https://a", `curl -H 'Cookie: ${MARK}' https://a`],
    ["by a flag", "curl -b 'sid=abcd; x=y' https://a", `curl -b '${MARK}' https://a`],
    ["by a long flag", 'curl --cookie "sid=abcd"', `curl --cookie "${MARK}"`],
    ["short cookies that are set", "< Set-Cookie: theme=dark; Path=/", `< Set-Cookie: ${MARK}; Path=/`],
    ["in a line of a log", "Cookie: sid=abcdef status 200", `Cookie: ${MARK} status 200`],
    [
      ".netrc on one line",
      "machine api.example.com login ada password hunter22",
      `machine api.example.com login ada password ${MARK}`,
    ],
    [
      ".netrc on lines",
      "machine api.example.com\n  login ada\n  password hunt\ndefault login a password hunter22\n",
      `machine api.example.com\n  login ada\n  password ${MARK}\ndefault login a password ${MARK}\n`,
    ],
    ["the other way", "machine h password hunt\nlogin ada", `machine h password ${MARK}\nlogin ada`],
    ["mysql's", "mysql -u root -phunter22 db", `mysql -u root -p${MARK} db`],
    ["mysqldump's", "mysqldump \\\n -h x -p'hunter 22' db", `mysqldump \\\n -h x -p'${MARK}' db`],
    ["mariadb's", "mariadb-dump -phunt", `mariadb-dump -p${MARK}`],
    ["PostgreSQL's", "PGPASSWORD=hunter22 psql", `PGPASSWORD=${MARK} psql`],
    ["sshpass's", "sshpass -p 'hunter 22' ssh a", `sshpass -p '${MARK}' ssh a`],
    ["redis'", "redis-cli -h x -a hunter22 ping", `redis-cli -h x -a ${MARK} ping`],
    ["a registry's", "docker login -u ada -p hunter22 r.io", `docker login -u ada -p ${MARK} r.io`],
    ["a directory's", "ldapsearch -x -D cn=a -w hunter22", `ldapsearch -x -D cn=a -w ${MARK}`],
    ["two of one command", "mysql --password=hunter22 -phunter23", `mysql --password=${MARK} -p${MARK}`],
  ])("%s", (_, text, clean) => {
    expect(readBothWays(text)).toEqual([clean, clean]);
    expect(redactor?.text(clean)).toEqual({ text: clean, count: 0 });
  });

  it.each([
    "cookie: a small text file",
    "Cookie: yes",
    "a cookie=chocolate",
    "git branch -b feature",
    "mysql -u root -p db",
    "mysql -u root -p, then the password",
    "mysql -p$MYSQL_PASSWORD",
    "mysql -h 10.0.0.1 -P 3306",
    "mysql -u root; mkdir -parents",
    "docker run -p 8080:80 nginx",
    "docker login -u ada --password-stdin",
    "machine learning password hints",
    "the default login dialog asks for a password twice",
    "ssh -p 2222 host",
  ])("nothing: %j", (text) => {
    expect(redactor?.text(text)).toEqual({ text, count: 0 });
  });
});

// At a quadratic cost each of these would take hours, which the ring does not wait for.
it.each([
  "mysql ",
  "mysql",
  "mysql -",
  "sshpass -p ",
  "docker login ",
  "machine ",
  "machine a login b ",
  "default login ",
  "Cookie: a=b",
  "Cookie: a=b; ",
  'Cookie: a="',
  "-b a=b ",
  "Cookie:",
])("a million characters of %j are read, of which it makes the same twice", (unit) => {
  const once = redactor?.text(unit.repeat(Math.ceil(1_000_000 / unit.length))).text ?? "";
  expect(redactor?.text(once)).toEqual({ text: once, count: 0 });
});
