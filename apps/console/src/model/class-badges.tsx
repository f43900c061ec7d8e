import { Badge } from "@mantine/core";
import { useTexts } from "../language/language.tsx";
import { type ClassState, differencesOf } from "./model-edits.ts";

/** What a class is beside its name: built in, or changed here. */
export function ClassBadges({ state }: { readonly state: ClassState }) {
  const texts = useTexts();
  const { stored, edited, isBuiltIn } = state;
  const isChanged = differencesOf(state).length > 0;
  return (
    <>
      {isBuiltIn && (
        <Badge variant="light" color="gray">
          {texts.model.builtIn}
        </Badge>
      )}
      {isChanged && edited === null && (
        <Badge variant="light" color="red">
          {texts.model.states.removed}
        </Badge>
      )}
      {isChanged && edited !== null && (
        <Badge variant="light" color={stored === null ? "green" : "indigo"}>
          {stored === null ? texts.model.states.created : texts.model.states.changed}
        </Badge>
      )}
    </>
  );
}
