import { objectNumber, type StoredObject } from "@sallyport/core";
import { type State, writeStamp } from "./state.ts";

/** Keeps an object as it is now, and stamps it. */
export function keepObject(state: State, object: StoredObject): void {
  const number = objectNumber(object.id);
  state.objects.set(number, object);
  state.stamps.set(number, writeStamp(state));
}
