import { faultAt, isStorableText, ServiceError } from "@sallyport/storage";
import type { FilePolicy } from "../../request/index.ts";

export type NameRules = Pick<FilePolicy, "allowedExtensions" | "forbiddenExtensions">;

const maximumBytes = 255;

/**
 * Separators, the colon of drives and streams (`C:a`, `a:b`), line breaks and other control characters, and the marks that
 * change the direction of text and so disguise an extension.
 */
const forbiddenCharacters = /[/\\:\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Decoders put it in place of bytes that they cannot read. */
const replacementCharacter = "\ufffd";

/** Names of devices on Windows, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)[ ]*(?:\.|$)/i;

/** Returns the name of a file. 502 if it is absent, malformed, or has an extension that is not accepted. */
export function acceptFileName(name: string | null, { allowedExtensions, forbiddenExtensions }: NameRules): string {
  const problem = name === null ? "A file name is expected." : problemOf(name);
  if (name === null || problem !== null) throw new ServiceError(502, { detail: problem ?? "" });
  const extension = extensionOf(name);
  const isAllowed = allowedExtensions.length === 0 || allowedExtensions.includes(extension);
  if (!isAllowed || forbiddenExtensions.includes(extension))
    throw new ServiceError(502, { detail: "The extension of the file name is not accepted." });
  return name;
}

/** Whether a text can be the name of a file, apart from its extension. Holds for every name that is received or sent. */
export function isFileName(name: string): boolean {
  return problemOf(name) === null;
}

function problemOf(name: string): string | null {
  if (name.trim() === "") return "The file name is empty.";
  if (!isStorableText(name) || forbiddenCharacters.test(name)) return "The file name contains a forbidden character.";
  if (name.includes(replacementCharacter)) return "The file name is not encoded as UTF-8.";
  // Windows drops them, so the file would get another name and extension.
  if (/[.\s]$/u.test(name)) return "The file name ends with a dot or a blank.";
  if (encodeURIComponent(name).replaceAll(/%../g, "x").length > maximumBytes)
    return `The file name is longer than ${maximumBytes} bytes.`;
  return reserved.test(name) ? "The file name is reserved." : null;
}

/** In lower case; empty without any. */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot === -1 ? "" : name.slice(dot + 1).toLowerCase();
}

const token = "[A-Za-z0-9!#$&^_.+-]{1,127}";
const mediaType = new RegExp(`^${token}/${token}$`);

/** The media type without parameters, in lower case; `null` if it is absent or malformed. */
export function mediaTypeOf(text: string | null): string | null {
  const [type = ""] = (text ?? "").split(";");
  return mediaType.test(type.trim()) ? type.trim().toLowerCase() : null;
}

/** Like `mediaTypeOf`, for one that a client states. 307 if it is malformed. */
export function acceptMediaType(text: string, pointer: string): string {
  const accepted = mediaTypeOf(text);
  if (accepted === null) throw faultAt(pointer, "A media type such as text/plain is expected.");
  return accepted;
}
