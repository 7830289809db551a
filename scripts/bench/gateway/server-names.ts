/** Room for what tells two equal names apart. */
const NAME_MAX_CHARS = 40;

/** Names under which foreign servers can stand in one configuration: each gives a namespace of its own. */
export function configuredNames(servers: Iterable<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const server of servers) {
    const slug = server
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^[^a-z]+/, "")
      .slice(0, NAME_MAX_CHARS)
      .replace(/-+$/, "");
    const base = slug === "" ? "server" : slug;
    let name = base;
    for (let again = 2; taken.has(name); again += 1) name = `${base}-${again}`;
    taken.add(name);
    names.set(server, name);
  }
  return names;
}
