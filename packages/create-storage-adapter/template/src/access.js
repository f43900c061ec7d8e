/**
 * @typedef {import("./engine.js").Connection} Connection
 * @typedef {<T>(work: (connection: Connection) => Promise<T>) => Promise<T>} Runner
 *
 * Database access of the repositories: in the open transaction, or in a new one for a single call.
 *
 * @typedef {object} Access
 * @property {<T>(work: (connection: Connection, now: () => Promise<number>) => Promise<T>) => Promise<T>} run Runs the work
 * atomically: an error undoes all of it. `now` returns the storage's time in milliseconds since 1970: the engine's
 * time plus the offset set by the checks.
 * @property {<T>(work: (connection: Connection, now: () => Promise<number>) => Promise<T>) => Promise<T>} read Like `run`, for
 * read-only work; see `Engine.begin`.
 */
export {};
