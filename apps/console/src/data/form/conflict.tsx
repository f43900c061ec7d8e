import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTexts } from "../../language/language.tsx";
import { Dialog } from "../../page-parts/dialog.tsx";
import type { ObjectRow } from "../cell-text.ts";
import type { ValueColumn } from "../columns.ts";
import { sentValue } from "./object-edits.ts";
import { ValueDiff } from "./value-diff.tsx";

interface ConflictProps {
  /** The object as it is stored now. */
  readonly present: ObjectRow;
  /** What the save would have sent. */
  readonly changes: ReadonlyMap<string, unknown>;
  readonly columns: readonly ValueColumn[];
  onClose(): void;
  /** Takes the names of the members whose stored value is kept. The others stay as edits over the present version. */
  onDecide(kept: ReadonlySet<string>): void;
}

/** Another person has saved the object since it was read. Shows both versions, and which one is to count, member by member. */
export function Conflict({ present, changes, columns, onClose, onDecide }: ConflictProps) {
  const texts = useTexts();
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const differences = columns.flatMap((column) => {
    if (!changes.has(column.name)) return [];
    return [{ name: column.name, stored: sentValue(present, column), edited: changes.get(column.name) }];
  });
  const keep = (name: string, isKept: boolean) => {
    const next = new Set(kept);
    if (isKept) next.add(name);
    else next.delete(name);
    setKept(next);
  };
  return (
    <Dialog isOpen size="xl" title={texts.objects.conflict} onClose={onClose}>
      <Stack>
        <Text size="sm">{texts.objects.conflictHelp}</Text>
        <ValueDiff
          label={texts.objects.conflict}
          differences={differences}
          storedTitle={texts.objects.stored}
          editedTitle={texts.objects.mine}
          kept={kept}
          onKeep={keep}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button onClick={() => onDecide(kept)}>{texts.objects.takeOver}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
