/** A reporter for vitest. At the end, it prints how many tests ran in each project: `ran: node 1,234, chromium 567`. */
export default class ProjectReport {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const { project, children } of modules) {
      const ran = [...children.allTests()].filter((test) => test.result().state !== 'skipped').length;
      counts.set(project.name, (counts.get(project.name) ?? 0) + ran);
    }
    const places = [...counts].map(([name, count]) => `${name} ${count.toLocaleString('en')}`);
    console.log(`ran: ${places.join(', ') || 'nothing'}`);
  }
}
