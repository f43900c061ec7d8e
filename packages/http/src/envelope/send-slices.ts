import type { ServerResponse } from "node:http";

/** Bytes that are given to the operating system before it has taken those before them. */
export const sliceBytes = 256 * 1024;

/** Ends a response with these bytes, no faster than the client takes them. */
export function sendSlices(response: ServerResponse, bytes: Buffer): void {
  let sent = 0;
  const send = (): void => {
    while (bytes.length - sent > sliceBytes) {
      const slice = bytes.subarray(sent, sent + sliceBytes);
      sent += sliceBytes;
      if (!response.write(slice)) return;
    }
    response.off("drain", send);
    response.end(bytes.subarray(sent));
  };
  response.on("drain", send);
  send();
}
