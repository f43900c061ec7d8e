import { decodeCursor } from "@sallyport/contract";
import { type Cursor, faultAt } from "@sallyport/core";

/** The cursor that a text stands for; 307 for one that was never given out. */
export function cursorOf(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  const cursor = decodeCursor(text);
  if (cursor === null) throw faultAt("/cursor", "It is none that was given out.");
  return cursor;
}
