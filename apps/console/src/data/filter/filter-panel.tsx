import { ActionIcon, Button, Group, SegmentedControl, Stack, Text, Textarea } from "@mantine/core";
import type { ClassStructure } from "@sallyport/client";
import { IconFolderPlus, IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useTexts } from "../../language/language.tsx";
import { ConditionRow } from "./condition-row.tsx";
import { columnsOf } from "../columns.ts";
import { operatorsFor } from "../attribute-path.ts";
import {
  type Condition,
  type FilterNode,
  filterOf,
  type Group as FilterGroup,
  type GroupMode,
  parseFilter,
} from "./filter-tree.ts";
import classes from "./filter-panel.module.css";

interface Classes {
  readonly structure: ClassStructure;
  readonly all: readonly ClassStructure[];
}

interface FilterPanelProps extends Classes {
  /** The filter that is in force. */
  readonly filter: FilterGroup;
  readonly sort: readonly string[];
  /** `undefined` removes the filter. */
  onApply(filter: string | undefined, sort: readonly string[]): void;
}

/** Builds a filter from conditions and groups, with the query as JSON beside it. Each follows the other. */
export function FilterPanel({ filter, sort, onApply, ...context }: FilterPanelProps) {
  const texts = useTexts();
  const [tree, setTree] = useState<FilterGroup>(() =>
    filter.members.length === 0 ? { ...filter, members: [newCondition(context)] } : filter,
  );
  const [order, setOrder] = useState(sort);
  const [written, setWritten] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const text =
    written ?? JSON.stringify({ where: filterOf(tree), ...(order.length > 0 ? { sort: order } : {}) }, null, 2);
  const build = (next: FilterGroup) => {
    setTree(next);
    setWritten(null);
    setFault(null);
  };
  const write = (typed: string) => {
    setWritten(typed);
    try {
      const { where = {}, sort: keys = [] } = JSON.parse(typed) as { where?: unknown; sort?: unknown };
      setTree(parseFilter(where));
      setOrder(Array.isArray(keys) ? keys.map(String) : []);
      setFault(null);
    } catch (error) {
      setFault(
        error instanceof SyntaxError
          ? texts.objects.faults.json
          : texts.filter.noFilter(String((error as Error).message)),
      );
    }
  };
  return (
    <div className={classes["panel"]}>
      <Stack gap="sm" className={classes["builder"] ?? ""}>
        <GroupRows {...context} group={tree} onChange={build} />
        <Group gap="sm">
          <Button
            disabled={fault !== null}
            onClick={() => onApply(tree.members.length === 0 ? undefined : JSON.stringify(filterOf(tree)), order)}
          >
            {texts.filter.apply}
          </Button>
          <Button variant="default" onClick={() => onApply(undefined, order)}>
            {texts.filter.clear}
          </Button>
        </Group>
      </Stack>
      <Textarea
        className={classes["json"] ?? ""}
        classNames={{ input: classes["code"] ?? "" }}
        label={texts.filter.json}
        autosize
        minRows={5}
        maxRows={14}
        spellCheck={false}
        value={text}
        error={fault}
        onChange={({ currentTarget }) => write(currentTarget.value)}
      />
    </div>
  );
}

function newCondition({ structure, all }: Classes): Condition {
  const [column] = columnsOf(structure, all);
  return {
    kind: "condition",
    path: column?.name ?? "~ObjectID",
    operator: operatorsFor(column)[0] ?? "$eq",
    operand: "",
  };
}

interface GroupRowsProps extends Classes {
  readonly group: FilterGroup;
  onChange(group: FilterGroup): void;
  /** Not for the outermost group. */
  onRemove?: (() => void) | undefined;
}

function GroupRows({ group, onChange, onRemove, ...context }: GroupRowsProps) {
  const texts = useTexts();
  const { members } = group;
  const replace = (index: number, ...nodes: readonly FilterNode[]) => {
    const next = members.toSpliced(index, 1, ...nodes);
    if (next.length === 0 && onRemove !== undefined) onRemove();
    else onChange({ ...group, members: next });
  };
  const add = (node: FilterNode) => onChange({ ...group, members: [...members, node] });
  return (
    <div className={classes["group"]} role="group" aria-label={texts.filter.modes[group.mode]}>
      <Group gap="xs" justify="space-between">
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={texts.filter.mode}
            value={group.mode}
            onChange={(mode) => onChange({ ...group, mode: mode as GroupMode })}
            data={(["all", "any", "none"] as const).map((mode) => ({ value: mode, label: texts.filter.modes[mode] }))}
          />
          <Text size="xs" c="dimmed">
            {texts.filter.modeHelp}
          </Text>
        </Group>
        {onRemove !== undefined && (
          <ActionIcon variant="subtle" color="gray" aria-label={texts.filter.removeGroup} onClick={onRemove}>
            <IconTrash size={16} />
          </ActionIcon>
        )}
      </Group>
      {members.map((node, index) =>
        node.kind === "group" ? (
          <GroupRows
            key={index}
            {...context}
            group={node}
            onChange={(changed) => replace(index, changed)}
            onRemove={() => replace(index)}
          />
        ) : (
          <ConditionRow
            key={index}
            {...context}
            condition={node}
            onChange={(changed) => replace(index, changed)}
            onRemove={() => replace(index)}
          />
        ),
      )}
      <Group gap="xs">
        <Button
          size="xs"
          variant="light"
          leftSection={<IconPlus size={14} />}
          onClick={() => add(newCondition(context))}
        >
          {texts.filter.addCondition}
        </Button>
        <Button
          size="xs"
          variant="subtle"
          leftSection={<IconFolderPlus size={14} />}
          onClick={() => add({ kind: "group", mode: "any", members: [newCondition(context)] })}
        >
          {texts.filter.addGroup}
        </Button>
      </Group>
    </div>
  );
}
