import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useMemo, useState } from "react";
import { usePerson } from "../connection/connection-context.tsx";
import { type Draft, draftKey, keepDraft, readDraft } from "./drafts.ts";
import type { FieldEdits } from "./object-edits.ts";

/** The draft of a form: read once, then written after each edit. Nothing is written until the person has decided about the former one. */
export function useDraft(className: string, objectId: string, edits: FieldEdits) {
  const person = usePerson();
  const { databaseName, userId } = person;
  const key = useMemo(
    () => draftKey({ databaseName, userId }, className, objectId),
    [databaseName, userId, className, objectId],
  );
  const [former, setFormer] = useState<Draft | null>(null);
  const [isDecided, setDecided] = useState(false);
  useEffect(() => {
    let isCurrent = true;
    // A browser can forbid the storage. The form works without it.
    void readDraft(key)
      .catch(() => null)
      .then((draft) => {
        if (!isCurrent) return;
        setFormer(draft);
        setDecided(draft === null);
      });
    return () => {
      isCurrent = false;
    };
  }, [key]);
  const keep = useDebouncedCallback((current: FieldEdits) => void keepDraft(key, current).catch(() => {}), {
    delay: 300,
    flushOnUnmount: true,
  });
  useEffect(() => {
    if (isDecided) keep(edits);
  }, [edits, isDecided, keep]);
  const decide = () => {
    setFormer(null);
    setDecided(true);
  };
  return { former, decide };
}
