import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Sorts test files by project: files share a process only if those of a project run one after another. */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const names = [...new Set(this.ctx.projects.map(({ name }) => name))];
    return sorted.sort((a, b) => names.indexOf(a.project.name) - names.indexOf(b.project.name));
  }
}
