/** The package on Debian 12; see test/support/package/acceptance.ts. */
import { DEBIAN_12 } from '../support/debian/recipes.ts';
import { acceptance } from '../support/package/acceptance.ts';

acceptance(DEBIAN_12);
