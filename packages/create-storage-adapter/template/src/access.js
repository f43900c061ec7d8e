/**
 * How repositories reach the database: in a transaction for the call alone, or in the one that is open.
 *
 * @typedef {object} Access
 * @property {<T>(work: (connection: import("./engine.js").Connection) => Promise<T>) => Promise<T>} run All of the work is kept, or nothing if it throws. Add the offset to the engine's clock in whatever depends on time.
 * @property {() => number} offset Milliseconds by which the storage's clock is ahead of the engine's.
 */
export {};
