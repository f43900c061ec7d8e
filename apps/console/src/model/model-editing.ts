import type { ModelStructure } from "@sallyport/client";
import { createContext, useContext } from "react";
import type { ClassEdit, ClassState, ModelEdits } from "./model-edits.ts";

export interface ModelEditing {
  /** The classes as the server returned them. */
  readonly structure: ModelStructure;
  readonly states: ReadonlyMap<string, ClassState>;
  edit(className: string, change: (edit: ClassEdit) => ClassEdit): void;
  /** Takes edits of whole classes, in place of earlier ones. */
  replace(edits: ModelEdits): void;
  /** Takes back all edits of the classes. */
  restore(classNames: readonly string[]): void;
  /** Opens the review, if there are changes. */
  review(): void;
}

export const ModelEditingContext = createContext<ModelEditing | null>(null);

/** The classes with the edits that all pages of the model share. */
export function useModelEditing(): ModelEditing {
  const editing = useContext(ModelEditingContext);
  if (editing === null) throw new Error("There are no pages of the model above.");
  return editing;
}
