/** Compiles each object of a configuration once; configurations do not change. */
export function oncePerObject<Source extends object, Compiled>(
  compile: (source: Source) => Compiled,
): (source: Source) => Compiled {
  const compiled = new WeakMap<Source, { readonly value: Compiled }>();
  return (source) => {
    const known = compiled.get(source);
    if (known !== undefined) return known.value;
    const value = compile(source);
    compiled.set(source, { value });
    return value;
  };
}
