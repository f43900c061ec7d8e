import { Alert, Button, Group, Progress, SegmentedControl, Skeleton, Stack, Table, Text } from "@mantine/core";
import type { ClassStructure } from "@sallyport/client";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTexts } from "../../language/language.tsx";
import { visibleText } from "../../language/visible-text.ts";
import { ChangesGuard } from "../../page-parts/changes-guard.tsx";
import { Dialog } from "../../page-parts/dialog.tsx";
import { FailureDetails, showSuccess } from "../../notices/notices.tsx";
import { cellText, type ObjectRow } from "../cell-text.ts";
import { inParallel } from "../in-parallel.ts";
import { titleOf, titlePathOf } from "../object-title.ts";
import { type EmptyTexts, mostCells, type PastedBlock } from "./pasted-block.ts";
import { changesOf, membersOfChange, type ObjectChange, requestWidth, usePastedObjects } from "./pasted-objects.ts";
import classes from "./object-grid.module.css";

interface PasteDialogProps {
  /** `null` closes the dialog. */
  readonly block: PastedBlock | null;
  readonly structure: ClassStructure;
  readonly all: readonly ClassStructure[];
  /** Changes an object over the version that was read, and returns it as the list shows it. */
  write(stored: ObjectRow, members: Readonly<Record<string, unknown>>): Promise<ObjectRow>;
  /** Called with the objects that were written. */
  onWritten(rows: readonly ObjectRow[]): void;
  onClose(): void;
}

/** What a paste would change, and its writes after a consent. */
export function PasteDialog({ block, onClose, ...props }: PasteDialogProps) {
  const texts = useTexts();
  const cells = block?.texts.reduce((sum, line) => sum + line.length, 0) ?? 0;
  return (
    <Dialog isOpen={block !== null} size="xl" title={texts.paste.title} onClose={onClose}>
      {block !== null && cells > mostCells && <Text>{texts.paste.tooMany(cells, mostCells)}</Text>}
      {block !== null && cells <= mostCells && <Paste block={block} onClose={onClose} {...props} />}
    </Dialog>
  );
}

interface Failure {
  readonly title: string;
  readonly error: unknown;
}

function Paste({
  block,
  structure,
  all,
  write,
  onWritten,
  onClose,
}: PasteDialogProps & { readonly block: PastedBlock }) {
  const texts = useTexts();
  const [emptyTexts, setEmptyTexts] = useState<EmptyTexts>("keep");
  const [done, setDone] = useState(0);
  const isStopped = useRef(false);
  useEffect(() => {
    isStopped.current = false;
    return () => void (isStopped.current = true);
  }, []);
  const { data, error } = usePastedObjects(block, { structure, all });
  const path = titlePathOf(structure, all);
  const writing = useMutation({
    mutationFn: async (objects: readonly ObjectChange[]) => {
      const failures: Failure[] = [];
      const rows = await inParallel(
        objects,
        { width: requestWidth, isStopped: () => isStopped.current },
        async (object) => {
          const { stored, listed } = object;
          if (stored === null) return [];
          try {
            return [await write(stored, membersOfChange(object))];
          } catch (failure) {
            failures.push({ title: titleOf(listed, path), error: failure });
            return [];
          } finally {
            setDone((count) => count + 1);
          }
        },
      );
      return { written: rows.flat(), failures, left: objects.length - rows.flat().length - failures.length };
    },
    onSuccess: ({ written, failures, left }) => {
      onWritten(written);
      if (written.length > 0) showSuccess(texts.paste.written(written.length));
      if (failures.length === 0 && left === 0) onClose();
    },
  });
  if (error !== null) return <FailureDetails error={error} />;
  if (data === undefined) return <Skeleton height={220} role="status" aria-label={texts.common.loading} />;
  if (writing.data !== undefined) return <Failures {...writing.data} onClose={onClose} />;

  const changes = changesOf(block, data, emptyTexts);
  const objects = changes.filter((object) => Object.keys(membersOfChange(object)).length > 0);
  const hasEmpty = block.texts.some((line) => line.includes(""));
  return (
    <Stack>
      <ChangesGuard isChanged={writing.isPending} onDiscard={() => void (isStopped.current = true)} />
      <Text size="sm">{texts.paste.help}</Text>
      {block.leftOut > 0 && <Alert color="yellow">{texts.paste.leftOut(block.leftOut)}</Alert>}
      {hasEmpty && (
        <Group gap="sm">
          <Text size="sm" id="empty-texts">
            {texts.paste.emptyTexts}
          </Text>
          <SegmentedControl
            size="xs"
            aria-labelledby="empty-texts"
            disabled={writing.isPending}
            value={emptyTexts}
            onChange={(chosen) => setEmptyTexts(chosen)}
            data={[
              { value: "keep", label: texts.objects.keep },
              { value: "null", label: texts.objects.null },
              { value: "empty", label: texts.objects.empty },
            ]}
          />
        </Group>
      )}
      <Changes changes={changes} path={path} />
      {writing.isPending && (
        <Progress value={(100 * done) / objects.length} aria-label={texts.paste.progress(done, objects.length)} />
      )}
      <Group justify="flex-end">
        {writing.isPending ? (
          <Button variant="default" onClick={() => void (isStopped.current = true)}>
            {texts.paste.stop}
          </Button>
        ) : (
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
        )}
        <Button loading={writing.isPending} disabled={objects.length === 0} onClick={() => writing.mutate(objects)}>
          {texts.paste.submit(objects.length)}
        </Button>
      </Group>
    </Stack>
  );
}

/** Cells that change, as stored and as pasted, and those that take no text. */
function Changes({ changes, path }: { readonly changes: readonly ObjectChange[]; readonly path: string | null }) {
  const texts = useTexts();
  if (changes.length === 0) return <Text c="dimmed">{texts.paste.nothing}</Text>;
  const reasons = { ...texts.objects.faults, ...texts.paste.faults };
  const state = (value: unknown, text: string) => {
    if (value !== undefined && value !== null && value !== "") return visibleText(text);
    const name = value === undefined ? "absent" : value === null ? "null" : "empty";
    return <span className={classes["absent"]}>{texts.objects[name]}</span>;
  };
  return (
    <Table.ScrollContainer
      minWidth={520}
      maxHeight={420}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": texts.paste.title } }}
    >
      <Table aria-label={texts.paste.title} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            {[texts.recycleBin.object, texts.filter.attribute, texts.objects.stored, texts.paste.pasted].map(
              (title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ),
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.flatMap(({ listed, stored, error, cells }) => {
            const title = visibleText(titleOf(listed, path));
            if (stored === null)
              return [
                <Table.Tr key={listed["~ObjectID"]}>
                  <Table.Th>{title}</Table.Th>
                  <Table.Td colSpan={3} role="alert">
                    <FailureDetails error={error} />
                  </Table.Td>
                </Table.Tr>,
              ];
            return cells.map(({ column, text, outcome }) => (
              <Table.Tr key={`${listed["~ObjectID"]} ${column.name}`}>
                <Table.Th>{title}</Table.Th>
                <Table.Td>{column.name}</Table.Td>
                <Table.Td>
                  <Text size="sm" lineClamp={3}>
                    {state(stored[column.name], cellText(stored, column))}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Text size="sm" lineClamp={3}>
                    {"value" in outcome ? state(outcome.value, text) : visibleText(text)}
                  </Text>
                  {"fault" in outcome && (
                    <Text size="xs" c="var(--mantine-color-error)">
                      {texts.paste.refused} {reasons[outcome.fault]}
                    </Text>
                  )}
                </Table.Td>
              </Table.Tr>
            ));
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface FailuresProps {
  readonly written: readonly ObjectRow[];
  readonly failures: readonly Failure[];
  readonly left: number;
  onClose(): void;
}

/** What was not written, with the refusals of the server. */
function Failures({ written, failures, left, onClose }: FailuresProps) {
  const texts = useTexts();
  return (
    <Stack>
      <Text role="status">{texts.paste.result(written.length, failures.length, left)}</Text>
      {failures.map(({ title, error }, index) => (
        <Alert key={index} color="red" role="alert" title={visibleText(title)}>
          <FailureDetails error={error} />
        </Alert>
      ))}
      <Group justify="flex-end">
        <Button onClick={onClose}>{texts.common.close}</Button>
      </Group>
    </Stack>
  );
}
