/** Names the tests that passed only at a further try: the machine stood still for a while, or something is wrong. */
import type { Reporter, TestCase, TestModule } from "vitest/node";

export class FurtherTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names = modules.flatMap((module) => [...module.children.allTests("passed")].flatMap(nameIfTriedAgain));
    if (names.length === 0) return;
    const intro = `${names.length} of the tests passed only when they were tried again:`;
    process.stdout.write(`\n${intro}\n${names.map((name) => `  ${name}\n`).join("")}`);
  }
}

function nameIfTriedAgain(test: TestCase): string[] {
  const { flaky = false, retryCount = 0 } = test.diagnostic() ?? {};
  return flaky ? [`${test.module.relativeModuleId} > ${test.fullName} (${retryCount + 1} tries)`] : [];
}
