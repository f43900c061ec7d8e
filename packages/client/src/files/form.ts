/** The body of a request that carries bytes of a file. */
export interface FileBody {
  readonly body: Uint8Array;
  readonly contentType: string;
}

interface NamedBytes {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A form with one file. Bytes on their own carry neither name nor media type. */
export function formOf({ name, mediaType, bytes }: NamedBytes): FileBody {
  const random = crypto.getRandomValues(new Uint32Array(4));
  const boundary = `sallyport-${Array.from(random, (each) => each.toString(36)).join("-")}`;
  const head = encoder.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped(name)}"\r\n` +
      `Content-Type: ${mediaType}\r\n\r\n`,
  );
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  const body = new Uint8Array(head.length + bytes.length + tail.length);
  body.set(head);
  body.set(bytes, head.length);
  body.set(tail, head.length + bytes.length);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

const encoder = new TextEncoder();
const escapes: ReadonlyMap<string, string> = new Map([
  ["\n", "%0A"],
  ["\r", "%0D"],
  ['"', "%22"],
]);

/** As browsers write names in forms (WHATWG HTML). */
function escaped(name: string): string {
  return name.replaceAll(/[\n\r"]/g, (character) => escapes.get(character) ?? "");
}
