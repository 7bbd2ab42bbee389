/** The token of a request, and the 401 that says what is wrong with it (RFC 6750 sections 2.1 and 3). */

const BEARER = /^bearer ([A-Za-z0-9\-._~+/]+=*)$/i;
/** Longer than any token we make; longer ones are not worth a question to the broker. */
const MAX_TOKEN = 1024;

/** The token of an `Authorization: Bearer` header; undefined when there is none or the header is malformed. */
export function bearerToken(header: string | undefined): string | undefined {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
  return token !== undefined && token.length <= MAX_TOKEN ? token : undefined;
}

/** Value of WWW-Authenticate: nothing but the realm when no token was given, the error when it was not good. */
export function challenge(givenToken: boolean): string {
  const realm = 'Bearer realm="steward"';
  return givenToken ? `${realm}, error="invalid_token", error_description="The access token is not valid here"` : realm;
}
