import { Alert, Button, Group, Paper, Text } from "@mantine/core";
import type { ClassStructure } from "@sallyport/client";
import { SallyportError } from "@sallyport/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { useConnection } from "../../connection/connection-context.tsx";
import { useTexts } from "../../language/language.tsx";
import { ChangesGuard, type Closing } from "../../page-parts/changes-guard.tsx";
import { FailureDetails, showSuccess } from "../../notices/notices.tsx";
import { SlowNotice } from "../../notices/slow-notice.tsx";
import type { ObjectRow } from "../cell-text.ts";
import { columnsOf, formFieldsOf } from "../columns.ts";
import { Conflict } from "./conflict.tsx";
import { DraftNotice } from "./draft-notice.tsx";
import { changedMembers, type FieldEdit, type FieldEdits, hasFault, refusedMember, sentValue } from "./object-edits.ts";
import { ObjectField } from "./object-field.tsx";
import { listKey } from "../object-rows.ts";
import { useDraft } from "./use-draft.ts";
import classes from "./object-form.module.css";

const noEdits: FieldEdits = new Map();
const changedSince = 713;

interface ObjectFormProps {
  readonly structure: ClassStructure;
  readonly all: readonly ClassStructure[];
  readonly objectId: string;
  /** The stored object as the client returned it. `null` for a new one. */
  readonly row: ObjectRow | null;
  /** Of the dialog that has the form. Absent: a page has it. */
  readonly closing?: Closing;
  /** Called with the answer of the write. */
  onSaved(row: ObjectRow): void;
}

/** Fields for all attributes. A save sends the changed ones only, and only over the version that the form shows. */
export function ObjectForm({ structure, all, objectId, row, closing, onSaved }: ObjectFormProps) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const { name: className, permissions } = structure;
  const columns = useMemo(
    () => columnsOf(structure, all).filter(({ name }) => !name.startsWith("~")),
    [structure, all],
  );
  const [edits, setEdits] = useState(noEdits);
  const [conflict, setConflict] = useState<ObjectRow | null>(null);
  const changes = changedMembers(row, edits, columns);
  const isWrong = hasFault(edits);
  const isChanged = changes.size > 0 || isWrong;
  const { former, decide } = useDraft(`${className}:${objectId}`, isChanged ? edits : noEdits);
  const canWrite = permissions.includes(row === null ? "create" : "write");
  const serialization = { type: "custom", fields: formFieldsOf(structure, all) } as const;

  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => {
      const members = Object.fromEntries(changes);
      return connection.work((client) =>
        row === null
          ? client.createObject<ObjectRow>(className, members, { serialization })
          : client.updateObject<ObjectRow>(objectId, members, { ifMatch: row, serialization }),
      );
    },
    onSuccess: async (stored) => {
      // The guard must know before the page is left.
      flushSync(() => setEdits(noEdits));
      await queries.invalidateQueries({ queryKey: listKey(className), refetchType: "none" });
      onSaved(stored);
      showSuccess(texts.objects.saved);
    },
    onError: async (failure) => {
      if (row === null || !(failure instanceof SallyportError) || failure.code !== changedSince) return;
      const present = await connection.work((client) => client.getObject<ObjectRow>(objectId, { serialization }));
      if (present["~StoreTime"] !== row["~StoreTime"] || columns.some((column) => isOther(present, row, column)))
        setConflict(present);
    },
  });
  const isOther = (present: ObjectRow, before: ObjectRow, column: (typeof columns)[number]) =>
    JSON.stringify(sentValue(present, column)) !== JSON.stringify(sentValue(before, column));

  const edit = (name: string, edited: FieldEdit | undefined) => {
    reset();
    setEdits((current) => {
      const next = new Map(current);
      if (edited === undefined) next.delete(name);
      else next.set(name, edited);
      return next;
    });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A form around it, whose dialog it is in, gets its events too.
    event.stopPropagation();
    if (changes.size > 0 && !isWrong && !isPending) mutate();
  };
  const refused = error instanceof SallyportError ? refusedMember(error.debugMessage) : null;
  const isAtField = refused !== null && columns.some(({ name }) => name === refused.name);
  return (
    <form onSubmit={submit}>
      <ChangesGuard isChanged={isChanged} closing={closing} onDiscard={() => setEdits(noEdits)} />
      <DraftNotice
        former={former}
        storedOf={(name) => {
          const column = columns.find((each) => each.name === name);
          return column === undefined ? undefined : sentValue(row, column);
        }}
        onRestore={(draft) => {
          setEdits(draft.edits);
          decide();
        }}
        onDiscard={decide}
      />
      {error !== null && !isAtField && conflict === null && (
        <Alert color="red" title={texts.notices.saveFailed} role="alert" mb="md">
          <FailureDetails error={error} />
        </Alert>
      )}
      {row !== null && !canWrite && (
        <Text size="sm" mb="xs">
          {texts.objects.readOnly}
        </Text>
      )}
      <Paper withBorder radius="md">
        <div className={classes["fields"]}>
          {columns.map((column) => (
            <ObjectField
              key={column.name}
              column={column}
              structure={structure}
              all={all}
              row={row}
              edit={edits.get(column.name)}
              onEdit={(edited) => edit(column.name, edited)}
              disabled={!canWrite || former !== null}
              isReadOnly={!canWrite}
              refusal={refused?.name === column.name ? refused.reason : undefined}
            />
          ))}
        </div>
        <SlowNotice isWaiting={isPending} />
        {canWrite && (
          <Group className={classes["bar"] ?? ""} justify="flex-end">
            <Text size="sm" c="dimmed" mr="auto" role="status">
              {texts.objects.changes(changes.size)}
            </Text>
            <Button variant="default" disabled={!isChanged || isPending} onClick={() => setEdits(noEdits)}>
              {texts.common.discard}
            </Button>
            <Button type="submit" loading={isPending} disabled={changes.size === 0 || isWrong}>
              {row === null ? texts.common.create : texts.common.save}
            </Button>
          </Group>
        )}
      </Paper>
      {conflict !== null && (
        <Conflict
          present={conflict}
          changes={changes}
          columns={columns}
          onClose={() => setConflict(null)}
          onDecide={(kept) => {
            setEdits((current) => new Map([...current].filter(([name]) => !kept.has(name))));
            setConflict(null);
            reset();
            onSaved(conflict);
          }}
        />
      )}
    </form>
  );
}
