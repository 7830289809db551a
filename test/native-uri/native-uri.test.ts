import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nativeUri, readNativeUri } from "../../src/native-uri/native-uri.ts";
import { parseTemplate } from "../../src/uri-template/parse-template.ts";
import { expandTemplate } from "../../src/uri-template/expand-template.ts";
import { hostileName } from "../support/hostile-names.ts";
import { anyTemplate } from "../uri-template/templates.ts";

const uri = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ minLength: 1, unit: "binary" }),
  fc
    .tuple(
      fc.constantFrom("loomgate:", "LoomGate://", "loomgate://", "loomgate://a/", "loomgate", "{x}"),
      fc.string(),
    )
    .map(([start, rest]) => start + rest),
);

describe("a native URI", () => {
  it("is the server's own where nothing else could be meant", () => {
    expect(nativeUri("fs", "file:///a?b#c", false)).toBe("file:///a?b#c");
    expect(nativeUri("fs", "file:///{+path}", false)).toBe("file:///{+path}");
  });

  it("names its server where another has it too", () => {
    expect(nativeUri("fs", "file:///a?b#c", true)).toBe("loomgate://fs/file:///a?b#c");
    expect(readNativeUri("loomgate://fs/file:///a?b#c")).toStrictEqual({
      namespace: "fs",
      uri: "file:///a?b#c",
    });
  });

  it.each(["loomgate://x/y", "LOOMGATE:x", "{+uri}", "{scheme}://x", "loom{x}", "l{?x}"])(
    "names its server where it may begin as ours do: %s",
    (own) => {
      expect(nativeUri("fs", own, false)).toBe(`loomgate://fs/${own}`);
    },
  );

  it.each([
    "loomgate:/fs/x",
    "loomgate://FS/x",
    "loomgate://fs",
    "loomgate://fs/",
    "loomgate:///x",
    "LoomGate:",
    " loomgate://fs/x",
    "\u0000loomgate://fs/x",
    "loom\ngate://fs/x",
    "\ufeffloomgate://fs/x",
  ])("is nobody's where it begins as ours do and names no server: %j", (text) => {
    expect(readNativeUri(text)).toBeUndefined();
    expect(nativeUri("fs", text, false)).toBe(`loomgate://fs/${text}`);
  });

  it("may have its scheme folded", () => {
    expect(readNativeUri("LoomGate://fs/X:/y")).toStrictEqual({ namespace: "fs", uri: "X:/y" });
  });

  it.each(["file:///x", "", "loomgate", "loomgate.x:y", "x:loomgate://fs/x"])(
    "is by itself where it does not begin as ours do: %j",
    (text) => {
      expect(readNativeUri(text)).toStrictEqual({ uri: text });
    },
  );

  it("says its server and its URI again", () => {
    fc.assert(
      fc.property(hostileName, uri, fc.boolean(), (namespace, own, contested) => {
        const read = readNativeUri(nativeUri(namespace, own, contested));
        expect(read?.uri).toBe(own);
        expect(read?.namespace === undefined || read.namespace === namespace).toBe(true);
        expect(contested && read?.namespace === undefined).toBe(false);
      }),
    );
  });

  it("is no other server's, and no other URI's of the same one", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(hostileName, uri), {
          selector: (pair) => JSON.stringify(pair),
          maxLength: 8,
        }),
        (pairs) => {
          const texts = pairs.map(([namespace, own]) => {
            const owners = new Set(pairs.filter(([, other]) => other === own).map(([name]) => name));
            return nativeUri(namespace, own, owners.size > 1);
          });
          expect(new Set(texts).size).toBe(texts.length);
        },
      ),
    );
  });

  it("of a template is a template with the same variables, whose URIs are native ones", () => {
    fc.assert(
      fc.property(hostileName, anyTemplate, (namespace, text) => {
        fc.pre(text !== "");
        const [own, native] = [parseTemplate(text), parseTemplate(nativeUri(namespace, text, true))];
        expect(native.ok && native.value.variables).toStrictEqual(own.ok && own.value.variables);
        const values = Object.fromEntries(
          (own.ok ? own.value.variables : []).map(({ name }) => [name, "va/lue"]),
        );
        const uri = own.ok ? expandTemplate(own.value, values) : own;
        const uriOfNative = native.ok ? expandTemplate(native.value, values) : native;
        fc.pre(uri.ok && uri.value !== "");
        expect(uriOfNative).toStrictEqual({
          ok: true,
          value: `loomgate://${namespace}/${uri.ok ? uri.value : ""}`,
        });
      }),
    );
  });
});
