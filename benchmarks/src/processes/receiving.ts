import type { Answer } from './answer.ts';
import type { AuditRequest } from './audit.ts';
import { ForkedProcess } from './forked-process.ts';
import type { ReceiverTold } from './messages.ts';
import type { WireFormat } from './wire-format.ts';

/** The receiver's process, as its parent sees it. */
export class Receiving implements AsyncDisposable {
  readonly baseUrl: string;
  readonly #process: ForkedProcess<ReceiverTold>;

  private constructor(process: ForkedProcess<ReceiverTold>, baseUrl: string) {
    this.#process = process;
    this.baseUrl = baseUrl;
  }

  /**
   * @param answers What it does with the first requests. Without any, it takes all.
   * @param format How the sender and the service speak, where that is not Sluice's way.
   */
  static async start(answers: readonly Answer[] = [], format: WireFormat = {}): Promise<Receiving> {
    const script = new URL('./receiver-process.js', import.meta.url);
    const process = new ForkedProcess<ReceiverTold>(script, { answers, format });
    const { baseUrl } = await process.expect('ready');
    return new Receiving(process, baseUrl);
  }

  /** What came since the last count. */
  count(): Promise<Extract<ReceiverTold, { type: 'counted' }>> {
    this.#process.tell({ type: 'count' });
    return this.#process.expect('counted');
  }

  audit(request: AuditRequest): Promise<Extract<ReceiverTold, { type: 'audited' }>> {
    this.#process.tell({ type: 'audit', ...request });
    return this.#process.expect('audited');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }
}
