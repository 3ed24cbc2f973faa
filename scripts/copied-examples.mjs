/** All examples that users copy: `npm run check` tests them with the packed packages. The others are programs of this workspace. */
export const COPIED_EXAMPLES = [
  ...['cli-tool', 'docker', 'express', 'fastify', 'lambda', 'next', 'react-vite', 'relay', 'workers'],
];
