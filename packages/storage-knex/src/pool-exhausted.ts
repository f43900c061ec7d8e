/** No connection became free in time, or too many callers wait for one already. */
export class PoolExhausted extends Error {
  override readonly name = "PoolExhausted";
}
