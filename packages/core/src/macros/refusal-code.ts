import { type ErrorCode, isErrorCode } from "../errors/index.ts";

/** What clients take for a word about their key, session or log-in, and answer by logging in again. */
const aboutTheCaller: readonly ErrorCode[] = [
  100, 101, 200, 201, 202, 203, 204, 205, 206, 208, 209, 210, 301, 302, 306, 309, 310, 315, 318, 340, 341, 342, 703,
];
/** What the server says of the message itself, which it has read long before a module runs. */
const aboutTheMessage: readonly ErrorCode[] = [207, 305, 311, 312, 314, 699];
/** What the server says of itself and of its database, or of how often somebody asks. */
const aboutTheServer: readonly ErrorCode[] = [607, 704, 705, 706, 799, 800];

const kept: ReadonlySet<number> = new Set([...aboutTheCaller, ...aboutTheMessage, ...aboutTheServer]);

/** Whether a module may have a request answered with this code: any of the catalogue that says something about what was asked for. */
export function isRefusalCode(code: number): code is ErrorCode {
  return isErrorCode(code) && !kept.has(code);
}
