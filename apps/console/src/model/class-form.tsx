import {
  ActionIcon,
  Badge,
  Button,
  Group,
  Paper,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
  UnstyledButton,
} from "@mantine/core";
import type { AttributeDefinition } from "@sallyport/client";
import { IconArrowBackUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useGroupNames } from "../accounts/group-picker.tsx";
import { useTexts } from "../language/language.tsx";
import { type ConfirmedAct, ConfirmDialog } from "../page-parts/confirm-dialog.tsx";
import { TextLink } from "../shell/links.tsx";
import { AttributeDialog } from "./attribute-dialog.tsx";
import { attributeText } from "./attribute-text.ts";
import { ClassBadges } from "./class-badges.tsx";
import { ClassRights } from "./class-rights.tsx";
import { attributesByName, chainOf, type ClassState, effectiveAttributes, isSameAttribute } from "./model-edits.ts";
import { useModelEditing } from "./model-editing.ts";
import { BaseSelect } from "./new-class.tsx";
import classes from "./model.module.css";

/** A class as a form. Its changes are applied with those of other classes. */
export function ClassForm() {
  const texts = useTexts();
  const { className = "" } = useParams({ strict: false });
  const { states } = useModelEditing();
  const state = states.get(className);
  return state === undefined || (state.stored === null && state.edited === null) ? (
    <Text c="dimmed">{texts.classes.unknown(className)}</Text>
  ) : (
    <StateForm key={className} state={state} />
  );
}

function StateForm({ state }: { readonly state: ClassState }) {
  const texts = useTexts();
  const { states, edit, restore } = useModelEditing();
  const [confirmed, setConfirmed] = useState<ConfirmedAct | null>(null);
  const { name, stored, edited, isBuiltIn } = state;
  const removing: ConfirmedAct = {
    title: texts.model.remove(name),
    consequences: texts.model.removeHelp,
    confirm: texts.common.delete,
    typed: name,
    act: async () => {
      if (stored === null) restore([name]);
      else edit(name, (current) => ({ ...current, isRemoved: true }));
    },
  };
  const isBelow = (other: string) => chainOf(states, other, "edited").includes(name);
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="xs">
            <Title order={1} size="h2">
              {name}
            </Title>
            <ClassBadges state={state} />
          </Group>
          {stored !== null && (
            <TextLink to="/classes/$className" params={{ className: name }}>
              {texts.model.objects}
            </TextLink>
          )}
        </div>
        {edited === null ? (
          <Button variant="default" leftSection={<IconArrowBackUp size={16} />} onClick={() => restore([name])}>
            {texts.model.keep}
          </Button>
        ) : (
          <Button
            variant="default"
            leftSection={<IconTrash size={16} />}
            disabled={isBuiltIn}
            onClick={() => setConfirmed(removing)}
          >
            {texts.common.delete}
          </Button>
        )}
      </Group>
      {edited !== null && (
        <>
          <Paper withBorder p="md" className={classes["surface"] ?? ""}>
            <Group align="flex-start" grow preventGrowOverflow={false}>
              <div className={classes["field"]} data-changed={(stored?.base ?? null) !== edited.base}>
                <BaseSelect
                  value={edited.base}
                  offered={[...states.values()].flatMap((each) =>
                    each.edited === null || isBelow(each.name) ? [] : [each.name],
                  )}
                  disabled={isBuiltIn}
                  onChange={(base) => edit(name, (current) => ({ ...current, base }))}
                />
              </div>
              <div className={classes["field"]} data-changed={stored?.title !== edited.title}>
                <TextInput
                  label={texts.model.title}
                  description={texts.model.titleHelp}
                  placeholder={texts.common.none}
                  autoComplete="off"
                  value={edited.title ?? ""}
                  onChange={({ currentTarget }) =>
                    edit(name, (current) => ({ ...current, title: currentTarget.value.trim() }))
                  }
                />
              </div>
            </Group>
          </Paper>
          <ClassRights className={name} rights={edited.rights} />
          <Attributes state={state} />
        </>
      )}
      <ConfirmDialog confirmed={confirmed} onClose={() => setConfirmed(null)} />
    </Stack>
  );
}

/** An attribute of the form: own or inherited, maybe removed by the edits. */
interface AttributeRow {
  readonly attribute: AttributeDefinition;
  readonly status: "same" | "created" | "changed" | "removed" | "inherited";
  readonly from: string | null;
}

function attributeRows(states: ReadonlyMap<string, ClassState>, state: ClassState): readonly AttributeRow[] {
  const { name, stored, edited } = state;
  const own = attributesByName(edited ?? { attributes: [] });
  const before = attributesByName(stored ?? { attributes: [] });
  const bases = chainOf(states, name, "edited").slice(1).toReversed();
  const inherited = bases.flatMap((from) =>
    (states.get(from)?.edited?.attributes ?? []).map(
      (attribute) => ({ attribute, status: "inherited", from }) as const,
    ),
  );
  const rows = [...own.values()].map((attribute): AttributeRow => {
    const former = before.get(attribute.name);
    const status = former === undefined ? "created" : isSameAttribute(former, attribute) ? "same" : "changed";
    return { attribute, status, from: null };
  });
  const removed = [...before.values()]
    .filter((attribute) => !own.has(attribute.name))
    .map((attribute): AttributeRow => ({ attribute, status: "removed", from: null }));
  return [...inherited.filter(({ attribute }) => !own.has(attribute.name)), ...rows, ...removed];
}

function Attributes({ state }: { readonly state: ClassState }) {
  const texts = useTexts();
  const { structure, states, edit } = useModelEditing();
  const [opened, setOpened] = useState<AttributeDefinition | "new" | null>(null);
  const { name: className, stored } = state;
  const rows = attributeRows(states, state);
  const names = useGroupNames([...new Set(rows.flatMap(({ attribute }) => attribute.read ?? []))]);
  const change = (name: string, attribute: AttributeDefinition | null | undefined) =>
    edit(className, (current) => {
      const attributes = new Map(current.attributes);
      if (attribute === undefined) attributes.delete(name);
      else attributes.set(name, attribute);
      return { ...current, attributes };
    });
  const isBuilding = (name: string) =>
    structure.classes
      .find((each) => each.name === className)
      ?.attributes.some((each) => each.name === name && each.indexState === "building") === true;
  return (
    <Paper withBorder className={classes["surface"] ?? ""}>
      <Group justify="space-between" p="sm">
        <Title order={2} size="h4">
          {texts.model.attributes}
        </Title>
        <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setOpened("new")}>
          {texts.model.addAttribute}
        </Button>
      </Group>
      {rows.length === 0 ? (
        <Text p="md" c="dimmed">
          {texts.model.noAttributes}
        </Text>
      ) : (
        <Table aria-label={texts.model.attributes}>
          <Table.Tbody>
            {rows.map(({ attribute, status, from }) => (
              <Table.Tr
                key={attribute.name}
                className={classes["row"] ?? ""}
                data-changed={status !== "same" && status !== "inherited"}
              >
                <Table.Th scope="row" className={classes["name"] ?? ""} data-status={status}>
                  {status === "inherited" || status === "removed" ? (
                    attribute.name
                  ) : (
                    <UnstyledButton className={classes["open"] ?? ""} onClick={() => setOpened(attribute)}>
                      {attribute.name}
                    </UnstyledButton>
                  )}
                </Table.Th>
                <Table.Td>
                  <Text size="sm" {...(status === "inherited" && { c: "dimmed" })}>
                    {attributeText(attribute, texts, (group) => names.get(group) ?? group)}
                    {from !== null && (
                      <>
                        {" · "}
                        <TextLink to="/model/classes/$className" params={{ className: from }}>
                          {texts.model.from(from)}
                        </TextLink>
                      </>
                    )}
                  </Text>
                </Table.Td>
                <Table.Td className={classes["actions"] ?? ""}>
                  {attribute.indexed === true && isBuilding(attribute.name) && (
                    <Badge variant="light" color="yellow">
                      {texts.model.building}
                    </Badge>
                  )}
                  {(status === "changed" || status === "removed") && (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={texts.objects.discardField(attribute.name)}
                      onClick={() => change(attribute.name, undefined)}
                    >
                      <IconArrowBackUp size={16} />
                    </ActionIcon>
                  )}
                  {status !== "removed" && status !== "inherited" && (
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      aria-label={texts.model.removeAttribute(attribute.name)}
                      onClick={() => change(attribute.name, status === "created" ? undefined : null)}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <AttributeDialog
        opened={opened}
        isStored={
          opened !== null && opened !== "new" && attributesByName(stored ?? { attributes: [] }).has(opened.name)
        }
        taken={effectiveAttributes(states, className, "edited")}
        classNames={[...states.values()].flatMap((each) => (each.edited === null ? [] : [each.name]))}
        onClose={() => setOpened(null)}
        onSubmit={(former, attribute) => {
          if (former !== null && former !== attribute.name) change(former, undefined);
          change(attribute.name, attribute);
        }}
      />
    </Paper>
  );
}
