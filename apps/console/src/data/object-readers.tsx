import { ActionIcon, Checkbox, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { ClassStructure, ReadersData } from "@sallyport/client";
import { IconUser, IconUsersGroup, IconX } from "@tabler/icons-react";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { flushSync } from "react-dom";
import { useConnection, usePerson } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";
import { ChangesGuard } from "../page-parts/changes-guard.tsx";
import { SaveButtons, SaveFailure } from "../page-parts/form-parts.tsx";
import { FailureDetails, showSuccess } from "../notices/notices.tsx";
import type { ObjectRow } from "./cell-text.ts";
import { ReferencePicker } from "./form/reference-picker.tsx";
import { titleOf, titlePathOf } from "./object-title.ts";
import classes from "./form/object-form.module.css";

/** Built-in classes whose objects can be readers. */
const userClass = "User";
const groupClass = "UserGroup";

interface ObjectReadersProps {
  readonly objectId: string;
  readonly all: readonly ClassStructure[];
  /** Called after a change, which writes the object. */
  onSaved(): void;
}

/** The key of the readers of an object, whose version is that of the object. */
export const readersKey = (objectId: string): readonly string[] => ["objects", "readers", objectId];

/** Who can read an object: all with the right to read its class, or some users and groups. */
export function ObjectReaders({ objectId, ...props }: ObjectReadersProps) {
  const texts = useTexts();
  const connection = useConnection();
  const { data, error } = useQuery({
    queryKey: readersKey(objectId),
    queryFn: ({ signal }) => connection.work((client) => client.getReaders(objectId, { signal })),
  });
  if (data !== undefined) return <ReadersForm objectId={objectId} {...props} stored={data} />;
  return error === null ? (
    <Skeleton height={48} role="status" aria-label={texts.common.loading} />
  ) : (
    <div role="alert">
      <FailureDetails error={error} />
    </div>
  );
}

interface Reader {
  readonly name: string;
  readonly isGroup: boolean;
}

/** Names of readers by id, of those that the person can read. */
function useReaders(ids: readonly string[], all: readonly ClassStructure[]): ReadonlyMap<string, Reader> {
  const connection = useConnection();
  const { data } = useQuery({
    queryKey: ["objects", "readers", "names", ids],
    queryFn: async ({ signal }) => {
      const readable = all.filter(({ name }) => name === userClass || name === groupClass);
      const found = await Promise.all(
        readable.map(async (structure) => {
          const title = titlePathOf(structure, all);
          const page = await connection.work((client) =>
            client.listObjects<ObjectRow>(structure.name, {
              query: { oids: ids },
              perPage: ids.length,
              count: "none",
              serialization: { type: "custom", fields: title === null ? [] : [title] },
              signal,
            }),
          );
          const isGroup = structure.name === groupClass;
          return page["~Elements"].map((row) => [row["~ObjectID"], { name: titleOf(row, title), isGroup }] as const);
        }),
      );
      return new Map<string, Reader>(found.flat());
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
  return data ?? new Map();
}

interface ReadersFormProps extends ObjectReadersProps {
  readonly stored: ReadersData;
}

function ReadersForm({ objectId, all, stored, onSaved }: ReadersFormProps) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const { userId } = usePerson();
  /** `undefined`: nothing was changed. */
  const [edited, setEdited] = useState<readonly string[] | null | undefined>(undefined);
  const readers = edited === undefined ? stored.readers : edited;
  const known = useReaders(readers ?? [], all);
  const isChanged = keyOf(readers) !== keyOf(stored.readers);
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => connection.work((client) => client.setReaders(objectId, readers, { ifMatch: stored })),
    onSuccess: (answer) => {
      // The guard must know before the page is left.
      flushSync(() => setEdited(undefined));
      queries.setQueryData(readersKey(objectId), answer);
      onSaved();
      showSuccess(texts.objects.readersSaved);
    },
  });
  const edit = (next: readonly string[] | null | undefined) => {
    reset();
    setEdited(next);
  };
  const add = (id: string | null) => {
    if (id !== null && readers !== null && !readers.includes(id)) edit([...readers, id]);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged && !isPending) mutate();
  };
  const picker = (name: string, label: string) => {
    const target = all.find((structure) => structure.name === name);
    if (target === undefined) return null;
    return (
      <ReferencePicker key={`${name} ${readers?.length}`} label={label} target={target} value={null} onChange={add} />
    );
  };
  return (
    <form onSubmit={submit}>
      <ChangesGuard isChanged={isChanged} onDiscard={() => edit(undefined)} />
      <Stack gap="sm" maw={480}>
        <Checkbox
          label={texts.objects.restricted}
          description={texts.objects.restrictedHelp}
          checked={readers !== null}
          onChange={({ currentTarget }) => edit(currentTarget.checked ? (stored.readers ?? [userId]) : null)}
        />
        {readers !== null && readers.length > 0 && (
          <ul className={classes["members"]} aria-label={texts.objects.readers}>
            {readers.map((id) => {
              const { name, isGroup } = known.get(id) ?? { name: id, isGroup: false };
              const Icon = isGroup ? IconUsersGroup : IconUser;
              return (
                <li key={id} className={classes["member"]}>
                  <Group gap="xs" flex={1} wrap="nowrap" miw={0}>
                    <Icon size={16} aria-label={isGroup ? texts.appRules.group : texts.objects.reader} role="img" />
                    <Text size="sm" truncate>
                      {visibleText(name)}
                    </Text>
                  </Group>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={texts.objects.removeMember(visibleText(name))}
                    onClick={() => edit(readers.filter((each) => each !== id))}
                  >
                    <IconX size={16} />
                  </ActionIcon>
                </li>
              );
            })}
          </ul>
        )}
        {readers !== null && picker(userClass, texts.objects.addReader)}
        {readers !== null && picker(groupClass, texts.objects.addReaderGroup)}
        <SaveFailure
          error={error}
          onReload={() => {
            reset();
            void queries.invalidateQueries({ queryKey: readersKey(objectId) });
          }}
        />
        <SaveButtons isPending={isPending} isChanged={isChanged} onDiscard={() => edit(undefined)} />
      </Stack>
    </form>
  );
}

const keyOf = (readers: readonly string[] | null): string => JSON.stringify(readers?.toSorted() ?? null);
