import { Alert, Button, Group, Paper, Stack, Table, Text, TextInput, Title, UnstyledButton } from "@mantine/core";
import type { AttributeDefinition } from "@sallyport/client";
import { IconChevronDown, IconChevronRight, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Fragment, useState } from "react";
import { GroupPicker, useGroupNames } from "../accounts/group-picker.tsx";
import { useConnection } from "../connection/connection-context.tsx";
import { useTexts } from "../language/language.tsx";
import {
  allUsers,
  attributesByName,
  type ClassState,
  type Definition,
  grantsOf,
  type Permission,
  permissions,
} from "./model-edits.ts";
import { useModelEditing } from "./model-editing.ts";
import classes from "./rights-matrix.module.css";

/** As many groups show without a choice. */
const fewGroups = 6;
/** Groups that show at first, of more, which have rights. */
const shownGroups = 5;
/** Classes that show at first, and that one click adds. */
const shownClasses = 25;

const separator = " · ";

/** A column of the matrix. */
interface ShownGroup {
  readonly id: string;
  readonly name: string;
}

/** The rights of groups on classes and attributes. Changes are applied with those of the model. */
export function RightsMatrix() {
  const texts = useTexts();
  const { states } = useModelEditing();
  const { find = "" } = useSearch({ strict: false }) as { readonly find?: string };
  const [sought, setSought] = useState(find);
  const [limit, setLimit] = useState(shownClasses);
  const { ids, choose } = useShownGroups(states, find);
  const names = useGroupNames(ids);
  const groups = [
    { id: allUsers, name: texts.rights.everyone },
    ...ids.map((id) => ({ id, name: names.get(id) ?? id })),
  ];
  const text = sought.trim().toLowerCase();
  const found = [...states.values()].filter(({ name, edited }) => edited !== null && name.toLowerCase().includes(text));
  return (
    <Stack>
      <div>
        <Title order={1} size="h2">
          {texts.rights.title}
        </Title>
        <Text c="dimmed" size="sm" maw={640}>
          {texts.rights.help}
        </Text>
      </div>
      <Alert>{texts.rights.administrators}</Alert>
      <Paper withBorder className={classes["surface"] ?? ""}>
        <Group p="sm" align="flex-end">
          <TextInput
            flex="1 1 220px"
            maw={420}
            leftSection={<IconSearch size={16} />}
            placeholder={texts.shell.findClass}
            aria-label={texts.shell.findClass}
            value={sought}
            onChange={({ currentTarget }) => setSought(currentTarget.value)}
          />
          <div className={classes["groups"]}>
            <GroupPicker label={texts.rights.groupsShown} value={ids} onChange={choose} />
          </div>
        </Group>
        <Table.ScrollContainer minWidth={0} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label={texts.rights.title} className={classes["matrix"] ?? ""} withColumnBorders>
            <Table.Thead>
              <Table.Tr>
                <Table.Th rowSpan={2} className={classes["pinned"] ?? ""}>
                  {texts.classes.one}
                </Table.Th>
                {groups.map(({ id, name }) => (
                  <Table.Th key={id} colSpan={permissions.length} scope="colgroup">
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
              <Table.Tr>
                {groups.map(({ id }) => (
                  <Fragment key={id}>
                    {permissions.map((permission) => (
                      <Table.Th key={permission} className={classes["permission"] ?? ""}>
                        {texts.rights.permissions[permission]}
                      </Table.Th>
                    ))}
                  </Fragment>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {found.slice(0, limit).map((state) => (
                <ClassRights key={state.name} state={state} groups={groups} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        {found.length === 0 && (
          <Text p="xl" ta="center" c="dimmed">
            {texts.lists.nothingFound}
          </Text>
        )}
        {found.length > limit && (
          <Group p="sm" justify="center">
            <Button variant="default" onClick={() => setLimit(limit + shownClasses)}>
              {texts.rights.showMore(found.length - limit)}
            </Button>
          </Group>
        )}
      </Paper>
    </Stack>
  );
}

/**
 * Ids of the groups that have columns, as the address says. Without it, all, while they are few, else the first ones that
 * have rights, of the class that the address names before others.
 */
function useShownGroups(states: ReadonlyMap<string, ClassState>, className: string) {
  const connection = useConnection();
  const navigate = useNavigate();
  const { groups } = useSearch({ strict: false }) as { readonly groups?: string };
  const { data: page } = useQuery({
    queryKey: ["groups", "first"],
    queryFn: ({ signal }) => connection.administer((admin) => admin.groups.list({ limit: fewGroups + 1, signal })),
  });
  const few =
    page === undefined || page.items.length > fewGroups ? undefined : page.items.map(({ groupId }) => groupId);
  const ordered = [...states.values()].toSorted(
    (one, other) => Number(other.name === className) - Number(one.name === className),
  );
  const stored = ordered.flatMap((state) => (state.stored === null ? [] : groupsOf(state.stored)));
  const ids = groups?.split(",") ?? few ?? [...new Set(stored)].slice(0, shownGroups);
  const choose = (chosen: readonly string[]) =>
    // All users keep the list from being absent.
    void navigate({
      to: ".",
      search: ((former: object) => ({ ...former, groups: [allUsers, ...chosen].join(",") })) as never,
      resetScroll: false,
    });
  return { ids: ids.filter((id) => id !== allUsers), choose };
}

const groupsOf = ({ rights, attributes }: Definition): readonly string[] =>
  [...rights.map(({ group }) => group), ...attributes.flatMap(({ read = [] }) => read)].filter((id) => id !== allUsers);

interface ClassRightsProps {
  readonly state: ClassState;
  readonly groups: readonly ShownGroup[];
}

function ClassRights({ state, groups }: ClassRightsProps) {
  const texts = useTexts();
  const { edit } = useModelEditing();
  const [isOpen, setOpen] = useState(false);
  const { name, stored, edited } = state;
  const grant = (group: string, permission: Permission, isGranted: boolean) => {
    const granted = grantsOf(edited, group);
    const next = permissions.filter((each) => (each === permission ? isGranted : granted.includes(each)));
    edit(name, (current) => ({ ...current, rights: new Map(current.rights).set(group, next) }));
  };
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <>
      <Table.Tr>
        <Table.Th scope="row" className={classes["pinned"] ?? ""}>
          <Group gap={4} wrap="nowrap">
            <UnstyledButton
              className={classes["toggle"] ?? ""}
              aria-expanded={isOpen}
              aria-label={texts.rights.attributesOf(name)}
              onClick={() => setOpen(!isOpen)}
            >
              <Icon size={16} />
            </UnstyledButton>
            {name}
          </Group>
        </Table.Th>
        {groups.map((group) => {
          const [before, after] = [grantsOf(stored, group.id), grantsOf(edited, group.id)];
          return (
            <Fragment key={group.id}>
              {permissions.map((permission) => (
                <RightCell
                  key={permission}
                  label={[group.name, texts.rights.permissions[permission], name].join(separator)}
                  isGranted={after.includes(permission)}
                  isChanged={before.includes(permission) !== after.includes(permission)}
                  onChange={(isGranted) => grant(group.id, permission, isGranted)}
                />
              ))}
            </Fragment>
          );
        })}
      </Table.Tr>
      {isOpen &&
        edited?.attributes.map((attribute) => (
          <AttributeRights
            key={attribute.name}
            className={name}
            attribute={attribute}
            before={attributesByName(stored ?? { attributes: [] }).get(attribute.name)}
            groups={groups}
          />
        ))}
    </>
  );
}

interface AttributeRightsProps {
  readonly className: string;
  readonly attribute: AttributeDefinition;
  readonly before: AttributeDefinition | undefined;
  readonly groups: readonly ShownGroup[];
}

/** Who reads an attribute: all who read the class, or some groups. */
function AttributeRights({ className, attribute, before, groups }: AttributeRightsProps) {
  const texts = useTexts();
  const { edit } = useModelEditing();
  const { read, ...unrestricted } = attribute;
  const isRead = ({ read: readers }: AttributeDefinition, group: string) =>
    group === allUsers ? readers === undefined : readers === undefined || readers.includes(group);
  const set = (group: string, isGranted: boolean) => {
    const others = (read ?? []).filter((each) => each !== group);
    const readers = group === allUsers ? [] : isGranted ? [...others, group] : others;
    const isRestricted = group !== allUsers || !isGranted;
    const changed = isRestricted ? { ...unrestricted, read: readers } : unrestricted;
    edit(className, (current) => ({
      ...current,
      attributes: new Map(current.attributes).set(attribute.name, changed),
    }));
  };
  return (
    <Table.Tr className={classes["attribute"] ?? ""}>
      <Table.Th scope="row" className={classes["pinned"] ?? ""}>
        {attribute.name}
      </Table.Th>
      {groups.map(({ id, name }) => (
        <RightCell
          key={id}
          colSpan={permissions.length}
          label={[name, texts.rights.permissions.read, `${className}.${attribute.name}`].join(separator)}
          isGranted={isRead(attribute, id)}
          isChanged={before !== undefined && isRead(before, id) !== isRead(attribute, id)}
          disabled={attribute.mandatory === true || (id !== allUsers && read === undefined)}
          onChange={(isGranted) => set(id, isGranted)}
        />
      ))}
    </Table.Tr>
  );
}

interface RightCellProps {
  readonly label: string;
  readonly isGranted: boolean;
  readonly isChanged: boolean;
  readonly disabled?: boolean;
  readonly colSpan?: number;
  onChange(isGranted: boolean): void;
}

/** A plain control: a matrix has some thousand of them. */
function RightCell({ label, isGranted, isChanged, disabled = false, colSpan = 1, onChange }: RightCellProps) {
  return (
    <Table.Td className={classes["cell"] ?? ""} colSpan={colSpan} data-changed={isChanged}>
      <input
        type="checkbox"
        aria-label={label}
        title={label}
        checked={isGranted}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    </Table.Td>
  );
}
