import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeUrl, type AddressRefusal } from "../../src/upstream/egress.ts";

const strict = (url: string) => judgeUrl(url, { allowLoopback: false });
const lenient = (url: string) => judgeUrl(url, { allowLoopback: true });

describe("the egress guard", () => {
  it.each([
    "https://api.example.com/mcp",
    "https://API.Example.COM:8443/mcp?x=1#f",
    "https://xn--bcher-kva.example/mcp",
    "https://bücher.example/mcp",
    "https://a_b.example.com/",
    "https://localhost.example.com/",
    "https://127.0.0.1.example.com/",
    "https://internal.example.com/",
    "https://example.com./mcp",
    "https://0xdeadbeef.example.com/",
    "https://mymetadata.example.com/",
    "https:\\\\api.example.com\\mcp",
    "https://api.example.com:65535/",
  ])("lets %s through, and what it lets through a second time", (url) => {
    const judged = strict(url);
    if (!judged.ok) throw new Error(judged.reason);
    expect(strict(judged.value.href)).toEqual(judged);
  });

  const refused: readonly (readonly [AddressRefusal, readonly string[]])[] = [
    [
      "malformed",
      ["", "nonsense", "//host/x", "https://", "https:///", "https://[::1", "https://[fe80::1%25eth0]/"],
    ],
    [
      "malformed",
      [" https://example.com", "https://exam\tple.com", "https://example.com\n", "https://a\u0000.com"],
    ],
    [
      "malformed",
      ["https://1.2.3.4.5/", "https://256.1.1.1/", "https://a..example.com/", "https://.example.com/"],
    ],
    [
      "malformed",
      ["https://example.com../", "https://-a.example.com/", "https://a!b.example.com/", "https://a*b.com/"],
    ],
    [
      "malformed",
      [
        `https://${"a".repeat(64)}.com/`,
        `https://${"a.".repeat(130)}com/`,
        `https://a.com/${"x".repeat(2100)}`,
      ],
    ],
    ["malformed", ["https://example.com:65536/", "https://example.com:-1/", "https://%00.example.com/"]],
    ["scheme", ["http://api.example.com/", "ftp://example.com/", "file:///etc/passwd", "data:text/plain,x"]],
    [
      "scheme",
      [
        "javascript:alert(1)",
        "ws://example.com/",
        "http://127.0.0.1/",
        "http://localhost/",
        "blob:https://a.com/1",
      ],
    ],
    [
      "userinfo",
      ["https://user@example.com/", "https://:pw@example.com/", "https://example.com:443@127.0.0.1/"],
    ],
    ["port", ["https://example.com:0/", "https://example.com:00000/"]],
    [
      "ip_literal",
      [
        "https://8.8.8.8/",
        "https://8.8.8.8./",
        "https://[2001:4860:4860::8888]/",
        "https://0/",
        "https://1/",
      ],
    ],
    [
      "ip_literal",
      [
        "https://0x7f.1/",
        "https://017700000001/",
        "https://2130706433/",
        "https://127.1/",
        "https://0x7f000001/",
      ],
    ],
    [
      "ip_literal",
      ["https://%31%32%37.0.0.1/", "https://１２７.０.０.１/", "https://127。0。0。1/", "https://①②⑦.0.0.1/"],
    ],
    [
      "ip_literal",
      ["https://[::]/", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/"],
    ],
    [
      "ip_literal",
      [
        "https://[64:ff9b::7f00:1]/",
        "https://[::127.0.0.1]/",
        "https://[fd00:ec2::254]/",
        "https://[fe80::1]/",
      ],
    ],
    [
      "local_name",
      ["https://localhost/", "https://LOCALHOST./", "https://a.localhost/", "https://ｌｏｃａｌｈｏｓｔ/"],
    ],
    [
      "local_name",
      ["https://printer.local/", "https://x.localdomain/", "https://db.internal/", "https://nas.home.arpa/"],
    ],
    [
      "local_name",
      ["https://metadata.google.internal/", "https://metadata.example.com/", "https://%6cocalhost/"],
    ],
    [
      "local_name",
      ["https://abc.onion/", "https://x.i2p/", "https://app.test/", "https://x.invalid/", "https://x.svc/"],
    ],
    [
      "local_name",
      ["https://1.0.0.127.in-addr.arpa/", "https://wiki.corp/", "https://box.lan/", "https://local/"],
    ],
    [
      "local_name",
      [
        "https://127.0.0.1.nip.io/",
        "https://10-0-0-1.sslip.io/",
        "https://localtest.me/",
        "https://a.lvh.me/",
      ],
    ],
    [
      "single_label",
      ["https://intranet1/", "https://example/", "https://ip6-localhost/", "https://metadata/"],
    ],
  ];
  const cases = refused.flatMap(([reason, urls]) => urls.map((url) => [reason, url] as const));

  it.each(cases)("refuses, as %s, %j", (reason, url) => {
    expect(strict(url)).toEqual({ ok: false, reason });
  });

  it.each([
    "http://127.0.0.1:8090/mcp",
    "https://127.0.0.1/",
    "http://127.255.255.254:1/",
    "http://localhost:3000/mcp",
    "http://[::1]:9/",
    "http://0x7f.1/",
    "https://api.example.com/mcp",
  ])("lets %s through in development", (url) => {
    expect(lenient(url).ok).toBe(true);
  });

  it.each([
    "http://api.example.com/",
    "https://10.0.0.1/",
    "http://169.254.169.254/",
    "http://0.0.0.0/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::]/",
    "http://user@localhost/",
    "http://localhost:0/",
    "http://a.localhost/",
    "http://128.0.0.1/",
    "http://metadata/",
  ])("refuses %s in development too", (url) => {
    expect(lenient(url).ok).toBe(false);
  });

  const octet = fc.integer({ min: 0, max: 255 });
  /** First two octets of the private and special IPv4 ranges. */
  const ranges = [
    "10.*",
    "172.16",
    "192.168",
    "127.*",
    "169.254",
    "100.64",
    "0.*",
    "192.0",
    "198.18",
    "224.*",
    "255.255",
    "8.8",
  ];
  const special = fc
    .tuple(fc.constantFrom(...ranges), octet, octet, octet)
    .map(([range, b, c, d]) => range.replace("*", String(b)).split(".").map(Number).concat(c, d));

  /** Every way the URL parser reads an IPv4 address: parts of three bases, 1 to 4 of them, in several alphabets. */
  const spelled = fc
    .tuple(
      special,
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom(10, 8, 16), { minLength: 4, maxLength: 4 }),
      fc.nat(3),
    )
    .map(([octets, parts, bases, disguise]) => {
      const tail = octets.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
      const numbers = [...octets.slice(0, parts - 1), tail];
      const text = numbers
        .map((part, at) =>
          bases[at] === 16
            ? `0x${part.toString(16)}`
            : bases[at] === 8
              ? `0${part.toString(8)}`
              : String(part),
        )
        .join(".");
      if (disguise === 1) return text.replace(/[0-9a-z]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
      if (disguise === 2) return text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
      return disguise === 3 ? `${text}.` : text;
    });

  it("refuses every spelling of every special IPv4 address", () => {
    fc.assert(
      fc.property(spelled, (host) => {
        expect(strict(`https://${host}/mcp`)).toEqual({ ok: false, reason: "ip_literal" });
      }),
      { numRuns: 2_000 },
    );
  });

  it("refuses every IPv6 address, mapped and compressed ones included, and zones", () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.constantFrom("", "%25eth0", "%eth0"), (address, zone) => {
        expect(strict(`https://[${address}${zone}]/`).ok).toBe(false);
      }),
    );
  });

  it("reads loopback in development as 127.0.0.0/8 and nothing beside it", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(lenient(`http://${address}/`).ok).toBe(address.startsWith("127."));
      }),
    );
  });

  it("never throws, and lets through only https names of two labels or more", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.webUrl(),
      fc.string().map((host) => `https://${host}/`),
    );
    fc.assert(
      fc.property(text, (url) => {
        const judged = strict(url);
        if (!judged.ok) return;
        expect(judged.value.protocol).toBe("https:");
        expect(judged.value.hostname).toMatch(/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+\.?$/);
        expect(judged.value.username + judged.value.password).toBe("");
      }),
      { numRuns: 2_000 },
    );
  });
});
