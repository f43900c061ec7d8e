import { Alert, Button, Group } from "@mantine/core";
import { useLanguage } from "../../language/language.tsx";
import { localTime } from "../grid/cell.tsx";
import type { Draft } from "./drafts.ts";
import { type ValueDifference, ValueDiff } from "./value-diff.tsx";

/** What was typed into fields, by their names. */
type TypedFields = ReadonlyMap<string, { readonly value: unknown; readonly text?: string | undefined }>;

interface DraftNoticeProps<Fields extends TypedFields> {
  /** Of an earlier form. `null` or `undefined`: nothing is shown. */
  readonly former: Draft<Fields> | null | undefined;
  /** The stored value of a field. */
  storedOf(name: string): unknown;
  onRestore(draft: Draft<Fields>): void;
  onDiscard(): void;
}

/** Shows how a draft differs from what is stored. The person restores or discards it before the first edit. */
export function DraftNotice<Fields extends TypedFields>({
  former,
  storedOf,
  onRestore,
  onDiscard,
}: DraftNoticeProps<Fields>) {
  const { texts, language } = useLanguage();
  if (!former) return null;
  const differences = [...former.edits].map(
    ([name, { text, value }]): ValueDifference => ({ name, stored: storedOf(name), edited: text ?? value }),
  );
  return (
    <Alert title={texts.objects.draft(localTime(new Date(former.at).toISOString(), language))} mb="md">
      <ValueDiff
        label={texts.objects.draftLabel}
        storedTitle={texts.objects.stored}
        editedTitle={texts.objects.draftLabel}
        differences={differences}
      />
      <Group mt="sm">
        <Button onClick={() => onRestore(former)}>{texts.objects.restoreDraft}</Button>
        <Button variant="default" onClick={onDiscard}>
          {texts.objects.discardDraft}
        </Button>
      </Group>
    </Alert>
  );
}
