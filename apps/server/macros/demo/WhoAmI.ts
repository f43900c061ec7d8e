import { defineMacro } from "@sallyport/macros";

/** Tells callers what the server takes them for. */
export default defineMacro({
  access: "everyone",
  run: ({ caller, setStatusMessage }) => {
    setStatusMessage(`Hello, ${caller.name}`);
    return {
      user: caller.name,
      userId: caller.userId,
      groups: caller.groups.map(({ name }) => name),
      administrator: caller.administrator,
      apps: caller.appNames,
      database: caller.database,
    };
  },
});
