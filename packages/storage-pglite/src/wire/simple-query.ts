/** The Query message of the PostgreSQL protocol for a text without parameters. */
export function simpleQuery(text: string): Uint8Array<ArrayBuffer> {
  const body = Buffer.from(`${text}\0`);
  const message = new Uint8Array(5 + body.length);
  message[0] = 0x51;
  new DataView(message.buffer).setInt32(1, 4 + body.length);
  message.set(body, 5);
  return message;
}
