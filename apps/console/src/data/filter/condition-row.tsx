import { ActionIcon, Autocomplete, Group, Select, TagsInput, TextInput } from "@mantine/core";
import type { ClassStructure } from "@sallyport/client";
import { IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useTexts } from "../../language/language.tsx";
import { maxReferences, operatorsFor, type PathStep, stepsOf } from "../attribute-path.ts";
import { columnsOf } from "../columns.ts";
import { parseNumber } from "../exact-number.ts";
import type { Condition, Operator } from "./filter-tree.ts";
import { ReferencePicker } from "../form/reference-picker.tsx";
import { relativeDates, resolvedDate } from "./relative-date.ts";

interface ConditionRowProps {
  readonly structure: ClassStructure;
  readonly all: readonly ClassStructure[];
  readonly condition: Condition;
  onChange(condition: Condition): void;
  onRemove(): void;
}

/** One condition: an attribute or a path through references, an operator of its type, and an operand. */
export function ConditionRow({ structure, all, condition, onChange, onRemove }: ConditionRowProps) {
  const texts = useTexts();
  const steps = stepsOf(condition.path, structure, all);
  const last = steps.at(-1);
  const setPath = (path: string) => {
    const column = stepsOf(path, structure, all).at(-1)?.column;
    onChange({ kind: "condition", path, operator: operatorsFor(column)[0] ?? "$eq", operand: "" });
  };
  const choice = choiceOf(condition);
  const offered = operatorsFor(last?.column);
  const choices = [
    ...offered.map((operator) => ({ value: operator, label: texts.filter.operators[operator] })),
    { value: "null", label: texts.filter.noValue },
    { value: "value", label: texts.filter.anyValue },
  ];
  return (
    <Group gap="xs" align="flex-start">
      {steps.map((step, index) => (
        <Select
          key={steps
            .slice(0, index)
            .map(({ name }) => name)
            .join(".")}
          aria-label={index === 0 ? texts.filter.attribute : texts.filter.attributeOf(step.structure.name)}
          w={160}
          data={namesOf(step, all).map((name) => ({ value: name, label: texts.objects.meta(name) ?? name }))}
          value={step.name}
          searchable
          allowDeselect={index > 0}
          onChange={(name) => {
            const before = steps.slice(0, index).map((each) => each.name);
            setPath([...before, ...(name === null ? [] : [name])].join("."));
          }}
        />
      ))}
      {last?.target !== undefined && last.column?.type !== "collection" && steps.length <= maxReferences && (
        <Select
          key={`${condition.path}.`}
          aria-label={texts.filter.attributeOf(last.target.name)}
          placeholder={texts.filter.attributeOf(last.target.name)}
          w={160}
          data={namesOf({ ...last, structure: last.target }, all)}
          value={null}
          searchable
          onChange={(name) => setPath(`${condition.path}.${name ?? ""}`)}
        />
      )}
      <Select
        aria-label={texts.filter.operator}
        w={160}
        data={choices}
        value={choice}
        allowDeselect={false}
        onChange={(chosen) => onChange(withChoice(condition, chosen ?? choice))}
      />
      {choice === condition.operator && (
        <Operand key={condition.path} condition={condition} step={last} onChange={onChange} />
      )}
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={texts.filter.removeCondition} onClick={onRemove}>
        <IconX size={16} />
      </ActionIcon>
    </Group>
  );
}

const namesOf = ({ structure }: PathStep, all: readonly ClassStructure[]) =>
  columnsOf(structure, all).map(({ name }) => name);

/** The operator as chosen. No value and any value are operators of their own for a person. */
function choiceOf({ operator, operand }: Condition): string {
  if (operand !== null) return operator;
  if (operator === "$eq") return "null";
  return operator === "$ne" ? "value" : operator;
}

function withChoice(condition: Condition, choice: string): Condition {
  if (choice === "null") return { ...condition, operator: "$eq", operand: null };
  if (choice === "value") return { ...condition, operator: "$ne", operand: null };
  const operator = choice as Operator;
  const isList = operator === "$in" || operator === "$nin";
  const wasList = Array.isArray(condition.operand);
  const kept =
    isList === wasList && operator !== "$exists" && condition.operator !== "$exists" ? condition.operand : "";
  const operand = operator === "$exists" ? true : isList && !wasList ? [] : (kept ?? "");
  return { ...condition, operator, operand };
}

interface OperandProps {
  readonly condition: Condition;
  readonly step: PathStep | undefined;
  onChange(condition: Condition): void;
}

function Operand({ condition, step, onChange }: OperandProps) {
  const texts = useTexts();
  const { operator, operand } = condition;
  const set = (value: unknown) => onChange({ ...condition, operand: value });
  const label = texts.filter.operand;
  const type = step?.column?.type;
  if (operator === "$in" || operator === "$nin")
    return (
      <TagsInput
        aria-label={label}
        flex="1 1 130px"
        value={Array.isArray(operand) ? operand.map(String) : []}
        onChange={(values) => set(type === "number" ? values.map(numberOrText) : values)}
      />
    );
  if (operator === "$exists" || type === "boolean")
    return (
      <Select
        aria-label={label}
        w={120}
        data={[
          { value: "true", label: texts.common.yes },
          { value: "false", label: texts.common.no },
        ]}
        value={typeof operand === "boolean" ? String(operand) : null}
        allowDeselect={false}
        onChange={(value) => set(value === "true")}
      />
    );
  if (type === "date") {
    const text = typeof operand === "string" ? operand : "";
    const resolved = resolvedDate(text);
    return (
      <Autocomplete
        aria-label={label}
        flex="1 1 130px"
        placeholder={texts.filter.datePlaceholder}
        data={[...relativeDates]}
        filter={({ options }) => options}
        value={text}
        {...(resolved === text ? {} : { description: String(resolved), inputWrapperOrder: ["input", "description"] })}
        onChange={set}
      />
    );
  }
  if (type === "reference" || type === "file" || type === "collection")
    return (
      <ReferencePicker
        label={label}
        target={step?.target}
        value={typeof operand === "string" && operand !== "" ? operand : null}
        onChange={(id) => set(id ?? "")}
      />
    );
  if (type === "number" || type === "json") return <TypedOperand type={type} operand={operand} onChange={set} />;
  return (
    <TextInput
      aria-label={label}
      flex="1 1 130px"
      value={typeof operand === "string" ? operand : JSON.stringify(operand)}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  );
}

function numberOrText(text: string): number | string {
  const parsed = parseNumber(text);
  return "number" in parsed ? parsed.number : text;
}

interface TypedOperandProps {
  readonly type: "number" | "json";
  readonly operand: unknown;
  onChange(operand: unknown): void;
}

/** An operand that is not a text. What is typed stays, and counts when it is one. */
function TypedOperand({ type, operand, onChange }: TypedOperandProps) {
  const texts = useTexts();
  const [text, setText] = useState(operand === "" ? "" : JSON.stringify(operand));
  const [isWrong, setWrong] = useState(false);
  const write = (typed: string) => {
    setText(typed);
    try {
      const parsed = type === "number" ? numberOrText(typed) : JSON.parse(typed);
      const isValid = type === "json" || typeof parsed === "number";
      setWrong(!isValid && typed !== "");
      if (isValid) onChange(parsed);
    } catch {
      setWrong(true);
    }
  };
  return (
    <TextInput
      aria-label={texts.filter.operand}
      flex="1 1 130px"
      value={text}
      error={isWrong && (type === "number" ? texts.objects.faults.number : texts.objects.faults.json)}
      onChange={({ currentTarget }) => write(currentTarget.value)}
    />
  );
}
