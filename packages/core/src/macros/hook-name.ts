/** Names under which the specification knows hooks: a module that has one is that hook, whatever else it says. */
const hookNames: ReadonlySet<string> = new Set([
  "xRestApi_Authenticate",
  "xRestApi_BuildSerialization",
  "xRestApi_FindObjects",
  "xRestApi_DBCreateInit_xRestApiUserProvider",
]);

/** Whether a module of this name is a hook by its name alone. */
export function isHookName(name: string): boolean {
  return hookNames.has(name);
}
