import type { ImageInspectInfo } from 'dockerode';
import { z } from 'zod';
import type { ImageNotice } from '../sandbox.js';
import type { BuildContainer } from './build-container.js';
import { hasImage } from './base-image.js';
import { statusCodeOf, type Engine } from './engine.js';
import { LABEL, OWNER_LABEL, ROLE_LABEL, RUN_LABEL } from './labels.js';

/** The role of an image in which steps were carried out. */
export const PREPARED_ROLE = 'prepared';
/** Tells what we committed from what others built on top of it, which has our labels as well. */
export const PREPARED_COMMENT = 'prepared by niceeval';
const RECIPE_LABEL = 'niceeval.recipe';
const BASE_LABEL = 'niceeval.base';
const CREATED_LABEL = 'niceeval.created';
const NOTICES_LABEL = 'niceeval.notices';
const COMMIT_LIMIT_MS = 30 * 60_000;

const noticesSchema = z.array(z.object({ code: z.string(), message: z.string() }));

/**
 * Makes an image of a container, with the configuration of the image that it was started from. When another process has
 * made the same one meanwhile, that one stays and this one goes.
 *
 * @param image What the engine says of that one.
 */
export async function commitPrepared(
  container: BuildContainer,
  image: ImageInspectInfo,
  facts: { readonly reference: string; readonly recipe: string; readonly baseId: string; readonly notices: readonly ImageNotice[] },
): Promise<void> {
  const [repo = '', tag = ''] = facts.reference.split(':');
  const { Config: config } = image;
  const { engine } = container;
  const { Id: id } = await engine.call('commit a prepared image', (docker) => docker.getContainer(container.id).commit({
    _query: { container: container.id, pause: true, comment: PREPARED_COMMENT },
    _body: {
      ...config,
      // The engine fills what is missing from the container, whose entry point only keeps it alive; an empty list is there.
      Entrypoint: config.Entrypoint ?? [],
      Cmd: config.Cmd ?? [],
      Labels: {
        ...config.Labels,
        [LABEL]: '1',
        [ROLE_LABEL]: PREPARED_ROLE,
        [RECIPE_LABEL]: facts.recipe,
        [BASE_LABEL]: facts.baseId,
        [CREATED_LABEL]: new Date().toISOString(),
        [NOTICES_LABEL]: JSON.stringify(facts.notices),
        // A container of anybody's has the labels of its image: it must not be taken for one whose owner is dead.
        [OWNER_LABEL]: '',
        [RUN_LABEL]: '',
      },
    },
  }), COMMIT_LIMIT_MS) as { readonly Id: string };
  const remove = (): Promise<unknown> => engine.call('remove an image', (docker) => docker.getImage(id).remove());
  try {
    if (await hasImage(engine, facts.reference)) await remove();
    else await engine.call('name an image', (docker) => docker.getImage(id).tag({ repo, tag }));
  } catch (error) {
    await remove().catch(() => undefined); // The first failure is told; an image without a name is removed by the next collection.
    throw error;
  }
}

/** The notices of a prepared image. `undefined`: it is not in the engine. */
export async function noticesIn(engine: Engine, reference: string): Promise<readonly ImageNotice[] | undefined> {
  try {
    const image = await engine.call('look at an image', (docker) => docker.getImage(reference).inspect());
    const parsed = noticesSchema.safeParse(JSON.parse(image.Config.Labels[NOTICES_LABEL] ?? '[]'));
    return parsed.success ? parsed.data : [];
  } catch (error) {
    if (statusCodeOf(error) === 404) return undefined;
    throw error;
  }
}
