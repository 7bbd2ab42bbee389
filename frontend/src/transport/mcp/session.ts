/** One session of `/mcp`: what its requests share, its back channel, and since when nobody has used it. */
import { TransientMap } from '@steward/shared/transient-map.ts';
import type { Caller } from '../../session/caller.ts';
import type { Conversation } from '../../session/conversation.ts';
import type { Session, Sessions } from '../../session/sessions.ts';
import type { EventStream } from '../event-stream.ts';
import type { PostAnswer } from './post-answer.ts';

const TOOLS_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;

export class McpSession implements Session {
  readonly id: string;
  readonly user: string;
  readonly token: string;
  readonly conversation: Conversation;
  readonly #sessions: Sessions;
  readonly #answers = new TransientMap<PostAnswer, true>();
  #stream: EventStream | undefined;
  #streams = 0;
  /** The list of tools changed while there was no stream to say so. */
  #isBehind = false;
  #used = performance.now();

  constructor(id: string, { user, token }: Caller, conversation: Conversation, sessions: Sessions) {
    this.id = id;
    this.user = user;
    this.token = token;
    this.conversation = conversation;
    this.#sessions = sessions;
  }

  /** Somebody uses it. */
  touch(): void {
    this.#used = performance.now();
  }

  /** Keeps the answer to a POST in mind until it is out. */
  follow(answer: PostAnswer): void {
    this.#answers.set(answer, true);
    void answer.closed.then(() => {
      this.#answers.delete(answer);
      this.touch();
    });
  }

  /** Id of its back channel; undefined while it has none. */
  get streamId(): string | undefined {
    return this.#stream === undefined ? undefined : String(this.#streams);
  }

  /**
   * Takes a new back channel in the place of any that there is; `open` gets its id. What the client missed while it had none is
   * said first. The function that comes back gives it up again.
   */
  takeStream(open: (id: string) => EventStream): () => void {
    const before = this.#stream;
    this.#streams += 1;
    const stream = open(String(this.#streams));
    this.#stream = stream;
    before?.destroy();
    this.touch();
    if (this.#isBehind) this.toolsChanged();
    return () => {
      if (this.#stream !== stream) return;
      this.#stream = undefined;
      this.touch();
    };
  }

  toolsChanged(): void {
    this.#isBehind = this.#stream === undefined;
    this.#stream?.notify(TOOLS_CHANGED);
  }

  idleSince(): number | undefined {
    return this.#stream === undefined && this.#answers.size === 0 ? this.#used : undefined;
  }

  end(): void {
    this.#sessions.remove(this);
    this.conversation.close();
    this.#stream?.destroy();
  }

  async finish(): Promise<void> {
    await Promise.all([...this.#answers.keys()].map((answer) => answer.closed));
    await this.#stream?.end();
    this.#sessions.remove(this);
  }
}
