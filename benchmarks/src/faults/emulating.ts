import type { Audit, AuditRequest } from '../processes/audit.ts';
import { ForkedProcess } from '../processes/forked-process.ts';
import type { EmulatorAsked, EmulatorTold } from './processes/messages.ts';

const SCRIPT = new URL('./processes/emulator-process.js', import.meta.url);

/** The emulator in a child process, as its parent uses it. */
export class Emulating implements AsyncDisposable {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly #process: ForkedProcess<EmulatorTold>;

  private constructor(process: ForkedProcess<EmulatorTold>, baseUrl: string, apiKey: string) {
    this.#process = process;
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
  }

  static async start(): Promise<Emulating> {
    const process = new ForkedProcess<EmulatorTold>(SCRIPT, {});
    const { baseUrl, apiKey } = await process.expect('ready');
    return new Emulating(process, baseUrl, apiKey);
  }

  audit(request: AuditRequest): Promise<Audit> {
    const asked: EmulatorAsked = { type: 'audit', ...request };
    this.#process.tell(asked);
    return this.#process.expect('audited');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }
}
