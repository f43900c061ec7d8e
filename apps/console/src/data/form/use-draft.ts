import { useEffect, useMemo, useRef, useState } from "react";
import { usePerson } from "../../connection/connection-context.tsx";
import { type Draft, draftKey, keepDraft, readDraft } from "./drafts.ts";

/**
 * The draft of a form, written with each edit: a timer would lose what was typed just before the page ends.
 * `former` is that of an earlier form, on which the person decides before the first edit, and `undefined` until it is read.
 */
export function useDraft<FormEdits extends ReadonlyMap<string, unknown>>(form: string, edits: FormEdits) {
  const { databaseName, userId } = usePerson();
  const key = useMemo(() => draftKey({ databaseName, userId }, form), [databaseName, userId, form]);
  const [former, setFormer] = useState<Draft<FormEdits> | null | undefined>(undefined);
  // A form without edits of its own erases no draft, which can be that of another tab.
  const isOwn = useRef(false);
  useEffect(() => {
    let isCurrent = true;
    // A browser can forbid the storage. The form works without it.
    void readDraft<FormEdits>(key)
      .catch(() => null)
      .then((draft) => {
        if (isCurrent) setFormer(draft);
      });
    return () => {
      isCurrent = false;
    };
  }, [key]);
  useEffect(() => {
    if (former !== null || (edits.size === 0 && !isOwn.current)) return;
    isOwn.current = edits.size > 0;
    void keepDraft(key, edits).catch(() => {});
  }, [edits, former, key]);
  const decide = () => {
    isOwn.current = true;
    setFormer(null);
  };
  return { former, decide };
}
