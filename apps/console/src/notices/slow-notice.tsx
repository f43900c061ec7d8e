import { Text } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useTexts } from "../language/language.tsx";

/** Milliseconds after which a wait is explained. */
const patience = 4_000;

/** Says that a request still runs. */
export function SlowNotice({ isWaiting }: { readonly isWaiting: boolean }) {
  const texts = useTexts();
  const [isSlow, setSlow] = useState(false);
  const { start, clear } = useTimeout(() => setSlow(true), patience);
  useEffect(() => {
    setSlow(false);
    if (!isWaiting) return undefined;
    start();
    return clear;
  }, [isWaiting, start, clear]);
  return isSlow ? (
    <Text px="sm" pb="xs" size="sm" c="dimmed" role="status">
      {texts.states.slow}
    </Text>
  ) : null;
}
