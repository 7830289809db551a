/** Hand-written lists of tool names as real servers have them, one for each habit of naming. */

const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** A code forge: verb first, two-word nouns, details after the noun. */
export const FORGE = list(`
  add_comment_to_pending_review add_issue_comment add_sub_issue assign_copilot_to_issue cancel_workflow_run
  create_and_submit_pull_request_review create_branch create_gist create_issue create_or_update_file
  create_pending_pull_request_review create_pull_request create_pull_request_with_copilot create_repository
  delete_file delete_pending_pull_request_review delete_workflow_run_logs dismiss_notification
  download_workflow_run_artifact fork_repository get_code_scanning_alert get_commit get_dependabot_alert
  get_discussion get_discussion_comments get_file_contents get_issue get_issue_comments get_job_logs
  get_latest_release get_me get_notification_details get_pull_request get_pull_request_comments
  get_pull_request_diff get_pull_request_files get_pull_request_reviews get_pull_request_status get_tag
  get_team_members get_teams get_workflow_run get_workflow_run_logs get_workflow_run_usage issue_read
  list_branches list_code_scanning_alerts list_commits list_dependabot_alerts list_discussion_categories
  list_discussions list_gists list_issue_types list_issues list_notifications list_pull_requests list_releases
  list_starred_repositories list_sub_issues list_tags list_workflow_jobs list_workflow_run_artifacts
  list_workflow_runs list_workflows manage_notification_subscription mark_all_notifications_read
  merge_pull_request push_files request_copilot_review rerun_failed_jobs rerun_workflow_run run_workflow
  search_code search_issues search_orgs search_pull_requests search_repositories search_users star_repository
  submit_pending_pull_request_review unstar_repository update_gist update_issue update_pull_request
  update_pull_request_branch
`);

/** A browser driver: one prefix on all, most names a bare verb. */
export const BROWSER = list(`
  browser_click browser_close browser_console_messages browser_drag browser_evaluate browser_file_upload
  browser_fill_form browser_generate_locator browser_handle_dialog browser_hover browser_install
  browser_mouse_click_xy browser_mouse_drag_xy browser_mouse_move_xy browser_navigate browser_navigate_back
  browser_network_requests browser_pdf_save browser_press_key browser_resize browser_select_option
  browser_snapshot browser_tab_close browser_tab_list browser_tab_new browser_tab_select browser_tabs
  browser_take_screenshot browser_type browser_verify_element_visible browser_verify_list_visible
  browser_verify_text_visible browser_verify_value
`);

/** A file server: two things, many verbs. */
export const FILES = list(`
  calculate_directory_size copy_directory copy_file create_directory delete_directory delete_file directory_tree
  edit_file find_duplicate_files get_file_info head_file list_allowed_directories list_directory
  list_directory_with_sizes move_directory move_file read_file read_media_file read_multiple_files read_text_file
  search_files tail_file write_file
`);

/** A notes service: kebab case behind the server's own name, articles in the names. */
export const NOTES_KEBAB = list(`
  notion-append-block-children notion-create-comment notion-create-database notion-create-pages
  notion-delete-a-block notion-duplicate-page notion-fetch notion-get-block-children notion-get-comments
  notion-get-page notion-get-page-property notion-get-self notion-get-user notion-get-users notion-move-pages
  notion-query-database notion-retrieve-a-block notion-search notion-update-a-block notion-update-database
  notion-update-page notion-archive-page
`);

/** An issue tracker with a wiki: camel case. */
export const ISSUES_CAMEL = list(`
  addCommentToIssue addIssueToSprint atlassianUserInfo createConfluencePage createIssue createProject createSprint
  deleteIssue editIssue getBoard getBoardBacklog getConfluencePage getConfluenceSpaces getIssue getProjectIssueTypes
  getSprint getTransitionsForIssue listBoards listSprints searchConfluenceUsingCql transitionIssue
  updateConfluencePage updateProject
`);

/** A cluster manager: a path of dots, the verb last. */
export const KUBE_DOTTED = list(`
  kubectl.apply kubectl.configmaps.get kubectl.configmaps.list kubectl.deployments.get kubectl.deployments.list
  kubectl.deployments.rollout kubectl.deployments.scale kubectl.namespaces.create kubectl.namespaces.list
  kubectl.nodes.cordon kubectl.nodes.drain kubectl.nodes.list kubectl.pods.delete kubectl.pods.exec kubectl.pods.get
  kubectl.pods.list kubectl.pods.logs kubectl.secrets.get kubectl.secrets.list kubectl.services.get
  kubectl.services.list kubectl.version
`);

/** A customer suite: one module so large that it needs topics of its own, and modules with the verb last. */
export const DRIVE = [
  ...["company", "contact"].flatMap((noun) =>
    ["create", "update", "get", "search", "archive", "batch_create", "batch_update", "merge", "export"]
      .map((verb) => `crm_${verb}_${noun}`)
      .concat(`crm_get_${noun}_properties`),
  ),
  ...["lead", "association"].flatMap((noun) =>
    ["create", "update", "list", "archive", "batch_create"].map((verb) => `crm_${verb}_${noun}`),
  ),
  ...["notes", "tasks"].flatMap((noun) =>
    ["create", "get", "list", "batch_archive", "search"].map((verb) => `${noun}_${verb}`),
  ),
];
