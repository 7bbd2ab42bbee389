/** The package on Debian 13; see test/support/package/acceptance.ts. */
import { DEBIAN_13 } from '../support/debian/recipes.ts';
import { acceptance } from '../support/package/acceptance.ts';

acceptance(DEBIAN_13);
