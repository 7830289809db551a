// The lint rules, and the layer rules made from `layers.json`: a room may import rooms of lower tiers only, pure
// rooms reach no binding, clock, randomness or network, and some packages belong to one place.
import { readFileSync } from "node:fs";

const { tiers, pure, vocabulary, bindings, packages } = JSON.parse(
  readFileSync(new URL("./layers.json", import.meta.url), "utf8"),
);

/** A pattern that refuses any import path through one of the rooms. */
const throughRooms = (rooms, message) => ({
  regex: `^\\.{1,2}/(?:.*/)?(?:${rooms.join("|")})(?:/|$)`,
  message,
});

const platform = { regex: "^cloudflare:", message: "Only binding files may reach the platform." };

const packageBans = (except) =>
  Object.entries(packages)
    .filter(([name]) => name !== except)
    .map(([name, homes]) => ({
      regex: `^${name.replace(/[/.]/g, "\\$&")}(?:/|$)`,
      message:
        homes.length === 0
          ? `Nothing in src imports ${name}.`
          : `${name} is imported in ${homes.join(", ")} only.`,
    }));

const restrict = (patterns) => ["error", { patterns }];

/** The rooms above and beside one room, which it may not import. */
const forbiddenFor = (room) => {
  const index = tiers.findIndex((tier) => tier.includes(room));
  return tiers
    .slice(0, index + 1)
    .flat()
    .filter((name) => name !== room);
};

const arrows = (room) => {
  const forbidden = forbiddenFor(room);
  if (forbidden.length === 0) return [];
  return [throughRooms(forbidden, `${room} imports only rooms of lower tiers (layers.json).`)];
};

const rooms = tiers.flat();

/** One override a room, then one a package home: later overrides replace earlier ones, so each is complete. */
const layerOverrides = [
  {
    files: ["src/**"],
    rules: {
      "no-restricted-imports": restrict([
        throughRooms(
          rooms.filter((room) => !vocabulary.includes(room)),
          "A file beside the rooms imports no room but those whose words everything speaks.",
        ),
        platform,
        ...packageBans(),
      ]),
    },
  },
  ...rooms.map((room) => ({
    files: [`src/${room}/**`],
    rules: { "no-restricted-imports": restrict([...arrows(room), platform, ...packageBans()]) },
  })),
  ...rooms
    .filter((room) => !pure.includes(room))
    .map((room) => ({
      files: bindings
        .map((glob) => glob.replace("src/**/", `src/${room}/**/`))
        .filter((glob) => glob.startsWith(`src/${room}/`)),
      rules: { "no-restricted-imports": restrict([...arrows(room), ...packageBans()]) },
    })),
  { files: ["src/worker.ts"], rules: { "no-restricted-imports": restrict(packageBans("hono")) } },
  ...Object.entries(packages).flatMap(([name, homes]) =>
    homes
      .filter((home) => home !== "src/worker.ts")
      .map((home) => {
        const room = home.split("/")[1];
        const bound = bindings.includes(home);
        return {
          files: [home],
          rules: {
            "no-restricted-imports": restrict([
              ...arrows(room),
              ...(bound ? [] : [platform]),
              ...packageBans(name),
            ]),
          },
        };
      }),
  ),
];

const impure = (property, object) => ({
  object,
  property,
  message: "Pure rooms take time and randomness as arguments.",
});

export default {
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "vitest"],
  options: { typeAware: true },
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  ignorePatterns: ["oxlint.config.mjs", "dist/**", ".loomgate/**", ".wrangler/**"],
  rules: {
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/ban-ts-comment": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/no-unsafe-argument": "error",
    "typescript/no-unsafe-assignment": "error",
    "typescript/no-unsafe-call": "error",
    "typescript/no-unsafe-member-access": "error",
    "typescript/no-unsafe-return": "error",
    "typescript/only-throw-error": "error",
    "typescript/return-await": ["error", "in-try-catch"],
    "typescript/switch-exhaustiveness-check": "error",
    "typescript/prefer-readonly": "error",
    eqeqeq: "error",
    "no-var": "error",
    "prefer-const": "error",
    "no-console": "error",
    "max-lines": ["error", { max: 400 }],
    "import/no-default-export": "error",
    "import/no-cycle": "error",
    // Loops that await one after another are often the point here: order, back pressure, one shard at a time.
    "no-await-in-loop": "off",
    // Inner functions and shadowed names read better than renamed ones in closures over a request.
    "no-shadow": "off",
    "unicorn/consistent-function-scoping": "off",
    // Sorting a fresh copy in place is as safe as `toSorted`, and older engines in clients' tools lack it.
    "unicorn/no-array-sort": "off",
    "import/no-unassigned-import": "off",
    "vitest/require-mock-type-parameters": "off",
    // TypeScript's `noImplicitReturns` judges this by types, so that an exhaustive switch may end a function.
    "typescript/consistent-return": "off",
    // fast-check is read as `fc.string()` everywhere in its documentation.
    "import/no-named-as-default-member": "off",
  },
  overrides: [
    ...layerOverrides,
    {
      files: ["src/**"],
      excludeFiles: [...bindings, "src/mcp/**", "src/upstream/**"],
      rules: {
        "no-restricted-globals": [
          "error",
          ...["fetch", "caches", "setTimeout", "setInterval", "performance"].map((name) => ({
            name,
            message: "Pure rooms take IO and timers as arguments.",
          })),
        ],
        "no-restricted-properties": [
          "error",
          impure("now", "Date"),
          impure("random", "Math"),
          impure("getRandomValues", "crypto"),
          impure("randomUUID", "crypto"),
        ],
      },
    },
    { files: ["scripts/**", ...bindings], rules: { "no-console": "off" } },
    {
      files: [
        "src/worker.ts",
        "src/shims/**",
        "scripts/bench/records/worker/main.ts",
        "vitest.config.ts",
        "test/support/ring-reporter.ts",
      ],
      rules: { "import/no-default-export": "off" },
    },
  ],
};
