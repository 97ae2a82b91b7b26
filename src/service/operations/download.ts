import type { Request } from '../../model/request.js';

/** A request that is answered with a file instead of JSON. `effect` is `read`: it may be sent again. */
export interface DownloadCall {
  readonly request: Request;
  readonly download: true;
}

export function file(request: Request): DownloadCall {
  return { request, download: true };
}
