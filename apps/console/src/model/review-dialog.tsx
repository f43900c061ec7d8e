import { Alert, Badge, Button, Checkbox, Group, Stack, Text, Title } from "@mantine/core";
import { SallyportError } from "@sallyport/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useGroupNames } from "../accounts/group-picker.tsx";
import type { Connection } from "../connection/connection.ts";
import { useConnection } from "../connection/connection-context.tsx";
import { ValueDiff, type ValueDifference } from "../data/form/value-diff.tsx";
import { useTexts } from "../language/language.tsx";
import { visibleText } from "../language/visible-text.ts";
import { Dialog, DialogForm } from "../page-parts/dialog.tsx";
import { showSuccess } from "../notices/notices.tsx";
import { attributeText, permissionsText } from "./attribute-text.ts";
import { type ChangeStep, changeSteps, obstaclesOf } from "./change-steps.ts";
import { allUsers, type ClassDifference, type ClassState, differencesOf } from "./model-edits.ts";
import { ClassRights } from "./class-rights.tsx";
import { useModelEditing } from "./model-editing.ts";
import { ObjectsInTheWay } from "./objects-in-the-way.tsx";
import { unreadableTargets } from "./unreadable-targets.ts";

/** Another change of the model came first. */
const conflictCode = 713;
/** The definition is wrong, objects are in the way, or a schema of synchronization would break. */
const refusedCode = 307;

interface ReviewDialogProps {
  /** Classes with edits. */
  readonly changed: readonly ClassState[];
  readonly isOpen: boolean;
  onClose(): void;
}

/** Shows the edits of all classes and what is in their way, and applies them. */
export function ReviewDialog({ changed, isOpen, onClose }: ReviewDialogProps) {
  const texts = useTexts();
  return (
    <Dialog size="xl" title={texts.model.review} isOpen={isOpen} onClose={onClose}>
      <Review changed={changed} onClose={onClose} />
    </Dialog>
  );
}

function Review({ changed, onClose }: Omit<ReviewDialogProps, "isOpen">) {
  const texts = useTexts();
  const connection = useConnection();
  const queries = useQueryClient();
  const { structure, states, restore } = useModelEditing();
  const [force, setForce] = useState(false);
  const [refused, setRefused] = useState("");
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async () => {
      const steps = changeSteps(states);
      const broken = new Set<string>();
      let before: object = structure;
      let done = 0;
      try {
        for (const step of steps) {
          setRefused(step.className);
          const after = await applyStep(connection, step, { before, force });
          for (const schema of after.brokenSchemas) broken.add(schema);
          before = after.version;
          done += 1;
        }
        return [...broken];
      } finally {
        // The classes before a refused one are changed: their edits are what the server has.
        await Promise.all(["classes", "objects"].map((key) => queries.invalidateQueries({ queryKey: [key] })));
        const open = new Set(steps.slice(done).map((step) => step.className));
        restore(steps.map((step) => step.className).filter((name) => !open.has(name)));
      }
    },
    onSuccess: (broken) => {
      onClose();
      showSuccess(broken.length === 0 ? texts.model.applied : texts.model.appliedBroken(broken.join(", ")));
    },
  });
  const code = error instanceof SallyportError ? error.code : null;
  return (
    <DialogForm
      submit={texts.model.apply}
      isPending={isPending}
      error={error}
      failure={texts.model.refused(refused)}
      onSubmit={() => mutate()}
      onClose={onClose}
    >
      <Text size="sm">{texts.model.reviewHelp}</Text>
      {changed.map((state) => (
        <ClassChanges key={state.name} state={state} />
      ))}
      <ObjectsInTheWay obstacles={obstaclesOf(states)} />
      {code === refusedCode && (
        <Checkbox
          label={texts.model.force}
          description={texts.model.forceHelp}
          checked={force}
          onChange={({ currentTarget }) => setForce(currentTarget.checked)}
        />
      )}
      {code === conflictCode && (
        <Alert color="yellow" title={texts.model.conflict}>
          <Group>
            <Button size="xs" variant="default" onClick={reset}>
              {texts.model.reviewAgain}
            </Button>
          </Group>
        </Alert>
      )}
    </DialogForm>
  );
}

interface StepOptions {
  /** What the change names as the version before it. */
  readonly before: object;
  readonly force: boolean;
}

interface StepResult {
  /** For the next step. */
  readonly version: object;
  /** Names of the schemas of synchronization that the change has broken. */
  readonly brokenSchemas: readonly string[];
}

/** Rights alone are changed by the administration, which asks for a recent proof. */
async function applyStep(
  connection: Connection,
  { className, definition, isRightsOnly }: ChangeStep,
  { before: ifMatch, force }: StepOptions,
): Promise<StepResult> {
  if (isRightsOnly && definition !== null) {
    const rights = definition.rights.map(({ group, permissions }) => ({ group, permissions: [...permissions] }));
    const version = await connection.administer((admin) => admin.classes.setRights(className, rights, { ifMatch }));
    return { version, brokenSchemas: [] };
  }
  const request = { path: { className }, query: { force }, ifMatch };
  const result = await connection.work((client) =>
    definition === null
      ? client.call("DELETE /v1/model/structure/{className}", request)
      : client.call("PUT /v1/model/structure/{className}", { ...request, body: definition }),
  );
  return { version: result, brokenSchemas: result.brokenSchemas ?? [] };
}

function ClassChanges({ state }: { readonly state: ClassState }) {
  const texts = useTexts();
  const { states } = useModelEditing();
  const differences = differencesOf(state);
  const groups = differences.flatMap((each) => {
    if (each.part === "right") return [each.group];
    return each.part === "attribute" ? [...(each.before?.read ?? []), ...(each.after?.read ?? [])] : [];
  });
  const names = useGroupNames([...new Set(groups.filter((group) => group !== allUsers))]);
  const nameOf = (group: string) => (group === allUsers ? texts.rights.everyone : (names.get(group) ?? group));
  const valuesOf = (each: ClassDifference): readonly ValueDifference[] => {
    if (each.part === "class") return [];
    if (each.part === "right")
      return [
        {
          name: texts.model.rightsOf(nameOf(each.group)),
          stored: permissionsText(each.before, texts),
          edited: permissionsText(each.after, texts),
        },
      ];
    if (each.part === "attribute") {
      const [stored, edited] = [each.before, each.after].map((attribute) =>
        attribute === undefined ? texts.common.none : attributeText(attribute, texts, nameOf),
      );
      return [{ name: each.name, stored, edited }];
    }
    return [
      {
        name: texts.model[each.part],
        stored: each.before ?? texts.common.none,
        edited: each.after ?? texts.common.none,
      },
    ];
  };
  const values = differences.flatMap(valuesOf);
  const status = state.edited === null ? "removed" : state.stored === null ? "created" : "changed";
  return (
    <Stack gap={4} component="section">
      <Group gap="xs">
        <Title order={3} size="h5">
          {state.name}
        </Title>
        <Badge variant="light" color={{ removed: "red", created: "green", changed: "indigo" }[status]}>
          {texts.model.states[status]}
        </Badge>
      </Group>
      {values.length > 0 && (
        <ValueDiff
          label={state.name}
          nameTitle={texts.model.part}
          differences={values}
          storedTitle={texts.objects.stored}
          editedTitle={texts.model.changedTo}
        />
      )}
      {unreadableTargets(states, state).map(({ group, attribute, target }) => (
        <Text key={`${group} ${attribute}`} size="sm">
          {texts.rights.unreadable(visibleText(nameOf(group)), target, attribute)}
        </Text>
      ))}
      {status === "created" && state.edited?.rights.length === 0 && <ClassRights className={state.name} rights={[]} />}
    </Stack>
  );
}
