import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files of a project come after each other, as only then they share a process. */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const names = [...new Set(this.ctx.projects.map(({ name }) => name))];
    return sorted.sort((a, b) => names.indexOf(a.project.name) - names.indexOf(b.project.name));
  }
}
