import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The long tests that take minutes, the longest first. They start first, so that none runs alone at the end. */
const LONGEST = [
  ...['faults/runs', 'sessions/sessions', 'faults/mutants', 'relay/test/page/page', 'blame/innocence'],
  ...['whole/flush-memory', 'whole/page/tabs', 'dead-letters/dead-letters', 'blame/order', 'test/shop'],
];

/**
 * Sorts test files by project: files share a process only if those of a project run one after another. In a project, those that
 * take longest come first. Without the results of an earlier run, vitest goes by the sizes of the files.
 */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const names = [...new Set(this.ctx.projects.map(({ name }) => name))];
    const projectOf = ({ project }: TestSpecification) => names.indexOf(project.name);
    return sorted.sort((a, b) => projectOf(a) - projectOf(b) || placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.long.test.ts`));
  return place < 0 ? LONGEST.length : place;
}
