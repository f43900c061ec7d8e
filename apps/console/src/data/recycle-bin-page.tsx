import { Button, Checkbox, Code, Group, Stack, Text } from "@mantine/core";
import type { SallyportClient, TrashElement } from "@sallyport/client";
import { IconRestore } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { Time } from "../language/time.tsx";
import { visibleText } from "../language/visible-text.ts";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { ListPage } from "../page-parts/list-page.tsx";
import { FailureDetails, showSuccess } from "../notices/notices.tsx";
import { TextLink } from "../shell/links.tsx";
import { isoTime, type ObjectRow } from "./cell-text.ts";
import { recycleBinKey, useRestoring } from "./restoring.ts";

interface RecycledRow {
  readonly id: string;
  readonly className: string;
  readonly deletedAt: string;
  readonly deletedBy: Deleter | null;
}

interface Deleter {
  readonly userId: string;
  /** `null` for one who is deleted, too. */
  readonly name: string | null;
}

/** Names of the users who deleted objects, by id. */
async function namesOf(data: SallyportClient, elements: readonly TrashElement[], signal: AbortSignal) {
  const ids = new Set(elements.map((each) => each["~DeletedBy"]).filter((id) => id !== null));
  if (ids.size === 0) return new Map<string, string>();
  const users = await data.listObjects<ObjectRow>("User", {
    query: { oids: [...ids] },
    perPage: ids.size,
    count: "none",
    serialization: { type: "custom", fields: ["Name"] },
    signal,
  });
  return new Map(users["~Elements"].map((user) => [user["~ObjectID"], String(user["Name"])]));
}

/** The objects that can be restored. Of objects that were deleted together, the first. */
export function RecycleBinPage() {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const { userId, user, mayChange: seesAll } = usePerson();
  const restore = useRestoring();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [refusals, setRefusals] = useState<ReadonlyMap<string, unknown>>(new Map());
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);

  const choose = (id: string, isChosen: boolean) =>
    setChosen((current) => new Set(isChosen ? [...current, id] : [...current].filter((each) => each !== id)));
  const { mutate, isPending } = useMutation({
    mutationFn: restore,
    onSuccess: (refused, ids) => {
      setChosen((current) => new Set([...current].filter((id) => !ids.includes(id) || refused.has(id))));
      setRefusals((current) => new Map([...[...current].filter(([id]) => !ids.includes(id)), ...refused]));
      if (ids.length > refused.size) showSuccess(texts.recycleBin.restored(ids.length - refused.size));
    },
  });
  const purging = ({ id, className }: RecycledRow): ConfirmedAct => ({
    title: texts.objects.delete(`${className} ${id}`),
    consequences: texts.recycleBin.purgeHelp,
    confirm: texts.objects.deleteConfirm,
    typed: id,
    act: async () => {
      const count = await connection.work((data) => data.purgeObject(id));
      choose(id, false);
      await queries.invalidateQueries({ queryKey: recycleBinKey });
      showSuccess(texts.recycleBin.purged(count));
    },
  });
  const load = async (after: string | undefined, limit: number, signal: AbortSignal) =>
    connection.work(async (data) => {
      const { "~Elements": elements, "~Cursor": next = null } = await data.listTrash({
        perPage: limit,
        cursor: after,
        signal,
      });
      // Others see their own deletions only.
      const names = seesAll ? await namesOf(data, elements, signal) : new Map([[userId, user]]);
      const items = elements.map((element): RecycledRow => {
        const by = element["~DeletedBy"];
        return {
          id: element["~ObjectID"],
          className: element["~ClassName"],
          deletedAt: isoTime(element["~StoreTime"]),
          deletedBy: by === null ? null : { userId: by, name: names.get(by) ?? null },
        };
      });
      return { items, next };
    });
  const columns = [
    {
      title: texts.recycleBin.object,
      cell: ({ id, className }: RecycledRow) => (
        <Stack gap={4}>
          <Checkbox
            label={
              <>
                {className} <Code>{id}</Code>
              </>
            }
            checked={chosen.has(id)}
            onChange={({ currentTarget }) => choose(id, currentTarget.checked)}
          />
          {refusals.has(id) && (
            <div role="alert">
              <FailureDetails error={refusals.get(id)} />
            </div>
          )}
        </Stack>
      ),
    },
    { title: texts.recycleBin.deletedAt, cell: ({ deletedAt }: RecycledRow) => <Time value={deletedAt} /> },
    {
      title: texts.recycleBin.deletedBy,
      cell: ({ deletedBy }: RecycledRow) => {
        if (deletedBy === null) return <Text size="sm">{texts.recycleBin.unknown}</Text>;
        if (deletedBy.name === null) return <Code>{deletedBy.userId}</Code>;
        if (!seesAll) return <Text size="sm">{visibleText(deletedBy.name)}</Text>;
        return (
          <TextLink to="/users/$userId" params={{ userId: deletedBy.userId }} size="sm">
            {deletedBy.name}
          </TextLink>
        );
      },
    },
  ];
  return (
    <>
      <ListPage
        title={texts.recycleBin.title}
        help={seesAll ? texts.recycleBin.helpOfAll : texts.recycleBin.help}
        queryKey={recycleBinKey}
        load={({ after, limit, signal }) => load(after, limit, signal)}
        keyOf={({ id }) => id}
        columns={columns}
        empty={texts.recycleBin.empty}
        actions={
          <Button
            leftSection={<IconRestore size={16} />}
            disabled={chosen.size === 0}
            loading={isPending}
            onClick={() => mutate([...chosen])}
          >
            {texts.recycleBin.restoreChosen(chosen.size)}
          </Button>
        }
        rowActions={(row) => (
          <Group gap="xs" wrap="nowrap" justify="flex-end">
            <Button
              size="xs"
              variant="default"
              aria-label={texts.recycleBin.restoreOne(row.id)}
              disabled={isPending}
              onClick={() => mutate([row.id])}
            >
              {texts.recycleBin.restore}
            </Button>
            <Button
              size="xs"
              variant="subtle"
              color="red"
              aria-label={texts.recycleBin.purgeOne(row.id)}
              onClick={() => setConfirmed(purging(row))}
            >
              {texts.recycleBin.purge}
            </Button>
          </Group>
        )}
      />
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </>
  );
}
