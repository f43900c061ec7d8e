/**
 * @typedef {import("./engine.js").Connection} Connection
 * @typedef {<T>(work: (connection: Connection) => Promise<T>) => Promise<T>} Runner
 *
 * How repositories reach the database: in a transaction for the call alone, or in the one that is open.
 *
 * @typedef {object} Access
 * @property {<T>(work: (connection: Connection, now: () => Promise<number>) => Promise<T>) => Promise<T>} run All of the work is kept, or
 *   nothing if it throws. `now` asks for the storage's time, in
 *   milliseconds since 1970: that of the engine with the offset that checks give it.
 * @property {<T>(work: (connection: Connection, now: () => Promise<number>) => Promise<T>) => Promise<T>} read The same for work that only
 *   reads, see `Engine.begin`.
 */
export {};
