import { ActionIcon, Button, Code, CopyButton, Group, Menu, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { ClassStructure } from "@sallyport/client";
import { IconChevronDown, IconCopy, IconRecycle, IconTrash } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useClasses, useConnection } from "../connection/connection-context.tsx";
import { useLanguage, useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";
import { ClosedSection } from "../page-parts/closed-section.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { FailureDetails, showSuccess } from "../notices/notices.tsx";
import { TextLink } from "../shell/links.tsx";
import { localTime } from "./grid/cell.tsx";
import type { ObjectRow } from "./cell-text.ts";
import { formFieldsOf } from "./columns.ts";
import { newObject } from "./list-state.ts";
import { ObjectForm } from "./form/object-form.tsx";
import { NewTargetDialog } from "./form/reference-picker.tsx";
import { ObjectLock } from "./form/object-lock.tsx";
import { NewObjectDialog } from "./new-object-dialog.tsx";
import { ObjectReaders, readersKey } from "./object-readers.tsx";
import { listKey } from "./object-rows.ts";
import { recycleBinKey, useRestoring } from "./restoring.ts";
import { titleOf, titlePathOf } from "./object-title.ts";
import { ReferencedFrom } from "./referenced-from.tsx";

/** An object, or a new one, as a form. */
export function ObjectPage() {
  const texts = useTexts();
  const { className = "", objectId = "" } = useParams({ strict: false });
  const { data, error } = useClasses();
  const structure = data?.find(({ name }) => name === className);
  if (error !== null) return <FailureDetails error={error} />;
  if (data === undefined) return <Skeleton height={220} role="status" aria-label={texts.common.loading} />;
  if (structure === undefined) return <Text c="dimmed">{texts.classes.unknown(className)}</Text>;
  const props = { key: `${className} ${objectId}`, structure, all: data };
  return objectId === newObject ? <NewObject {...props} /> : <StoredObject {...props} objectId={objectId} />;
}

interface Classes {
  readonly structure: ClassStructure;
  readonly all: readonly ClassStructure[];
}

function NewObject({ structure, all }: Classes) {
  const texts = useTexts();
  const navigate = useNavigate();
  const { name: className } = structure;
  const open = (row: ObjectRow) =>
    void navigate({
      to: "/classes/$className/$objectId",
      params: { className, objectId: row["~ObjectID"] },
      replace: true,
    });
  return (
    <Stack>
      <ClassLink className={className} />
      <Title order={1} size="h2">
        {texts.objects.newOf(className)}
      </Title>
      <NewTargetDialog value={NewObjectDialog}>
        <ObjectForm structure={structure} all={all} objectId={newObject} row={null} onSaved={open} />
      </NewTargetDialog>
    </Stack>
  );
}

function StoredObject({ structure, all, objectId }: Classes & { readonly objectId: string }) {
  const { texts, language } = useLanguage();
  const connection = useConnection();
  const queries = useQueryClient();
  const { name: className } = structure;
  const fields = useMemo(() => formFieldsOf(structure, all), [structure, all]);
  const queryKey = ["objects", className, "object", objectId];
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      connection.work((client) =>
        client.getObject<ObjectRow>(objectId, { signal, serialization: { type: "custom", fields } }),
      ),
    // The version that the form shows is the one that it saves over.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (data === undefined)
    return error === null ? (
      <Skeleton height={220} role="status" aria-label={texts.common.loading} />
    ) : (
      <FailureDetails error={error} />
    );
  const title = titleOf(data, titlePathOf(structure, all));
  // The address can name a base class.
  const ownStructure = all.find(({ name }) => name === data["~ClassName"]) ?? structure;
  return (
    <Stack>
      <ClassLink className={className} />
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2">
            {visibleText(title)}
          </Title>
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {className} <Code>{objectId}</Code>
            </Text>
            <CopyButton value={objectId}>
              {({ copied, copy }) => (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={copied ? texts.notices.copied : texts.objects.copyId}
                  onClick={copy}
                >
                  <IconCopy size={14} />
                </ActionIcon>
              )}
            </CopyButton>
            <Text size="sm" c="dimmed">
              {texts.objects.storedAt(localTime(String(data["~StoreTime"]), language))}
            </Text>
          </Group>
        </div>
        {structure.permissions.includes("delete") && <ObjectActions className={className} row={data} title={title} />}
      </Group>
      {structure.permissions.includes("write") && <ObjectLock objectId={objectId} title={title} />}
      <NewTargetDialog value={NewObjectDialog}>
        <ObjectForm
          structure={structure}
          all={all}
          objectId={objectId}
          row={data}
          onSaved={(row) => {
            queries.setQueryData(queryKey, row);
            void queries.invalidateQueries({ queryKey: readersKey(objectId) });
          }}
        />
      </NewTargetDialog>
      {structure.permissions.includes("write") && (
        <ClosedSection title={texts.objects.readers}>
          {() => (
            <ObjectReaders objectId={objectId} all={all} onSaved={() => void queries.invalidateQueries({ queryKey })} />
          )}
        </ClosedSection>
      )}
      <ClosedSection title={texts.objects.referencedFrom}>
        {() => <ReferencedFrom objectId={objectId} structure={ownStructure} all={all} />}
      </ClosedSection>
    </Stack>
  );
}

function ClassLink({ className }: { readonly className: string }) {
  return (
    <TextLink to="/classes/$className" params={{ className }} size="sm">
      {className}
    </TextLink>
  );
}

interface ObjectActionsProps {
  readonly className: string;
  readonly row: ObjectRow;
  readonly title: string;
}

function ObjectActions({ className, row, title }: ObjectActionsProps) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const restore = useRestoring();
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const restoring = {
    name: texts.recycleBin.restore,
    failure: texts.recycleBin.notRestored,
    act: async () => {
      const objectId = row["~ObjectID"];
      const refusal = (await restore([objectId])).get(objectId);
      if (refusal !== undefined) throw refusal;
      await navigate({ to: "/classes/$className/$objectId", params: { className, objectId } });
    },
  };
  const removal = (recycle: boolean): ConfirmedAct => ({
    title: recycle ? texts.objects.recycle(title) : texts.objects.delete(title),
    consequences: recycle ? texts.objects.recycleHelp : texts.objects.deleteHelp,
    confirm: recycle ? texts.objects.recycleConfirm : texts.common.delete,
    typed: title,
    act: async () => {
      await connection.work((client) => client.deleteObject(row["~ObjectID"], { recycle, ifMatch: row }));
      await queries.invalidateQueries({ queryKey: listKey(className), refetchType: "none" });
      await queries.invalidateQueries({ queryKey: recycleBinKey });
      await navigate({ to: "/classes/$className", params: { className } });
      if (recycle) showSuccess(texts.objects.recycled(title), restoring);
      else showSuccess(texts.objects.deleted(title));
    },
  });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} />}>
            {texts.common.more}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconRecycle size={16} />} onClick={() => setConfirmed(removal(true))}>
            {texts.objects.recycleConfirm}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setConfirmed(removal(false))}>
            {texts.objects.deleteConfirm}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </>
  );
}
